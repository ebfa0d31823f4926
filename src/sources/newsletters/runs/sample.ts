import { type ContentParts, contentOf } from '../mail/content.ts';
import { recipientOf } from '../recipient.ts';
import type { Render } from './compose.ts';

/** What the first on a plan's list would read, or why there is nothing to read: JSON, kept with the plan. */
export async function plannedSample(
  runId: string,
  parts: ContentParts & { render: Render },
): Promise<string | null> {
  const { db, links, render } = parts;
  const first = await db.read
    .selectFrom('notification_run_items')
    .selectAll()
    .where('run_id', '=', runId)
    .where('place', '=', 1)
    .executeTakeFirst();
  if (!first) return null;
  const recipient = recipientOf({ userId: first.user_id, notificationId: first.notification_id });
  const contents = await contentOf([{ seq: 0, occasion: first.period_key, recipient, locale: null }], parts);
  const content = contents.get(0);
  if (content?.kind !== 'content') return JSON.stringify({ problem: content?.error });
  const rendered = await render({ ...content, unsubscribeUrl: `${links.platformBaseUrl()}/sample` });
  if (!rendered.ok) return JSON.stringify({ problem: { code: rendered.code, message: rendered.sentence } });
  const { subject, html, text } = rendered;
  return JSON.stringify({ notificationId: first.notification_id, subject, html, text });
}
