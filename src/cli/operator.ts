import { userInfo } from 'node:os';
import type { DeliveryRow } from '../db/schema.ts';
import type { Engine } from '../engine.ts';
import type { OperatorVerb } from '../outbox/operator.ts';
import type { Recorded } from '../outbox/record.ts';
import { Refusal } from '../std/refusal.ts';

/** What came of an operator's word on one delivery. */
export type Answer =
  | { reference: string; row: undefined; isDone: false }
  | { reference: string; row: DeliveryRow; isDone: boolean; why?: Recorded['why'] };

/** Tells the outbox, which decides; answers in the order of the references, with the rows as they stand afterwards. */
export async function perform(
  { queries, outbox }: Engine,
  references: readonly string[],
  { verb, reason }: { verb: OperatorVerb; reason: string },
): Promise<Answer[]> {
  const found = new Map<string, DeliveryRow | undefined>();
  for (const reference of references) found.set(reference, await queries.find(reference));
  const seqs = [...new Set([...found.values()].flatMap((row) => row?.seq ?? []))];
  const recorded = await outbox.perform(seqs, { verb, reason, operator: operatorName() });
  const bySeq = new Map(recorded.map((each) => [each.seq, each]));
  const answers: Answer[] = [];
  for (const [reference, row] of found) {
    const after = row && (await queries.find(String(row.seq)));
    const { changed: isDone = false, why } = bySeq.get(after?.seq ?? 0) ?? {};
    if (after) answers.push({ reference, row: after, isDone, why });
    else answers.push({ reference, row: undefined, isDone: false });
  }
  return answers;
}

const reasonLengthMax = 500;

/** Asked for before anything is looked at, and by a dry run too: what it prints can be done as it stands. */
export function requireReason(
  reason = '',
  whatFor = "it is kept in the delivery's story",
  option = '--reason',
): string {
  const text = reason.trim();
  if (text !== '' && text.length <= reasonLengthMax) return text;
  throw new Refusal(
    'reason_required',
    text === ''
      ? `Say why with ${option}: ${whatFor}.`
      : `Say why in at most ${reasonLengthMax} characters: ${whatFor}.`,
  );
}

export function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that has no name.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
