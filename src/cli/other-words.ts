import type { DeliveryRow } from '../db/schema.ts';
import type { OutboxQueries } from '../outbox/queries.ts';
import type { PlainMail } from './plain-mail.ts';

/**
 * Whether a delivery was asked for with another subject or text than these. False where that cannot be known: another
 * template has other variables, and retention deletes what an intent brought.
 */
export async function hasOtherWords(
  queries: Pick<OutboxQueries, 'story'>,
  { seq, template_name: template }: DeliveryRow,
  { subject, text }: PlainMail,
): Promise<boolean> {
  if (template !== null && template !== 'plain') return false;
  const { mails } = await queries.story(seq);
  const brought = mails.find(({ round }) => round === 0)?.variables ?? null;
  if (brought === null) return false;
  const kept = JSON.parse(brought) as Partial<PlainMail>;
  return kept.subject !== subject || kept.text !== text;
}
