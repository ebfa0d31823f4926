import { takeOverLinks } from '../../../../consent/taken-over.ts';
import type { Database, Tx } from '../../../../db/database.ts';
import type { Clock } from '../../../../std/clock.ts';
import { newsletterSource } from '../../notification-type.ts';
import { recipientOf, wisherOf } from '../../recipient.ts';
import type { Taken } from './import-old.ts';
import { readOldLink } from './old-rows.ts';
import type { OldRow } from './old-tables.ts';

/** The links in mails that are about: whoever uses one leaves the notification that it was for. */
export async function importLinks(
  tx: Tx,
  { db: { dialect }, clock, otherIds }: { db: Database; clock: Clock; otherIds: ReadonlyMap<string, string> },
  rows: readonly OldRow[],
): Promise<Taken> {
  const problems: Taken['problems'] = [];
  const good = rows.flatMap((old) => {
    const read = readOldLink(old);
    if ('row' in read) return [read.row];
    // Its token is what opens it, and is not shown.
    problems.push({ id: `of ${old.notification_id ?? 'nothing'}`, problem: read.problem });
    return [];
  });
  const links = good.map(({ token, recipient }) => ({
    ...{ token, source: newsletterSource, recipient: withOtherId(recipient, otherIds) },
  }));
  const taken = await takeOverLinks(tx, dialect, links, clock.now());
  return { taken, known: good.length - taken, problems };
}

export function withOtherId(recipient: string, otherIds: ReadonlyMap<string, string>): string {
  const { userId, notificationId } = wisherOf(recipient);
  return recipientOf({ userId, notificationId: otherIds.get(notificationId) ?? notificationId });
}
