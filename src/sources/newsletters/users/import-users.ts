import { openFirstSeen } from '../../../db/first-seen.ts';
import type { JsonPlace } from '../../../std/json-records.ts';
import type { LocalUser, LocalUsers } from './local-users.ts';
import type { UserRecord } from './users-file.ts';

/**
 * A file's users into the directory, a batch at a time: whoever stops it has whole batches, and the same file again changes nothing. A
 * user who is in the file a second time with another address is a bad line: nobody knows which of them is theirs.
 */
export interface ImportUsersOrder {
  directory: Pick<LocalUsers, 'put'>;
  records: AsyncIterable<UserRecord>;
  signal: AbortSignal;
  onBatch?(read: number): void;
}

export interface ImportedUsers {
  read: number;
  added: number;
  changed: number;
  /** Said twice, in the same words. */
  repeated: number;
  bad: number;
  /** Of those that were read: nothing can be sent to them. */
  withoutAddress: number;
  unverified: number;
  /** The first of the bad ones. */
  problems: (JsonPlace & { problem: string })[];
  isWhole: boolean;
}

const batchMax = 500;
const problemsMax = 100;

export async function importUsers(order: ImportUsersOrder): Promise<ImportedUsers> {
  const { directory, records, signal, onBatch } = order;
  const result: ImportedUsers = {
    ...{ read: 0, added: 0, changed: 0, repeated: 0, bad: 0, withoutAddress: 0, unverified: 0 },
    ...{ problems: [], isWhole: true },
  };
  let batch: LocalUser[] = [];

  function complain(place: JsonPlace, problem: string): void {
    const { line, number } = place;
    result.bad += 1;
    if (result.problems.length < problemsMax)
      result.problems.push({ line, ...(number !== undefined && { number }), problem });
  }

  async function flush(): Promise<void> {
    const { added, changed } = await directory.put(batch);
    result.added += added;
    result.changed += changed;
    batch = [];
    onBatch?.(result.read);
  }

  const seen = await openFirstSeen();
  try {
    for await (const record of records) {
      result.read += 1;
      if ('problem' in record) complain(record, record.problem);
      else {
        const { user, line, number } = record;
        const place = number ?? line;
        const first = seen.note(user.userId, place);
        const saidAt = seen.note(`${user.userId} ${user.email} ${user.isVerified}`, place);
        if (first === undefined) {
          batch.push(user);
          if (user.email === null) result.withoutAddress += 1;
          else if (!user.isVerified) result.unverified += 1;
        } else if (saidAt === first) result.repeated += 1;
        else {
          const which = `${number === undefined ? 'line' : 'entry'} ${first}`;
          complain(record, `It is the user of ${which} again, in other words; ${which} holds.`);
        }
      }
      if (batch.length === batchMax) await flush();
      if (signal.aborted) {
        result.isWhole = false;
        break;
      }
    }
  } finally {
    seen.close();
  }
  await flush();
  return result;
}
