import type { Address } from '../domain/address.ts';
import { checkMail, parseSender } from '../domain/message.ts';
import type { RefusalCode } from '../std/refusals.ts';
import { type RenderOrder, render } from './render.ts';

/**
 * Would this mail pass the checks on the way out? Asked at the door, where the answer still reaches whoever can change the
 * text; later it would end the delivery.
 */
export type Sendable = { ok: true } | { ok: false; code: RefusalCode; sentence: string };

export async function checkSendable(order: RenderOrder, to: readonly Address[]): Promise<Sendable> {
  // The sender was checked with the configuration; any good one stands in for it.
  const sender = parseSender('sender@example.org');
  if (!sender.ok) throw new Error(sender.sentence);
  const from = sender.sender;
  const { text: given } = order.props;
  const [first] = to;
  if (typeof given === 'string' && first) {
    // The text goes out twice. What is too large already so is not rendered first: that is dear.
    const least = { from, to: first, subject: '-', html: given, text: given, headers: {}, tags: {} };
    const checked = checkMail(least);
    if (!checked.ok && checked.code === 'body_too_big') return checked;
  }
  // With a link as long as the one that every mail gets.
  const unsubscribeUrl = `https://example.org/${'-'.repeat(200)}`;
  const rendered = await render({ ...order, unsubscribeUrl }, 'refused');
  if (!rendered.ok) return rendered;
  const { subject, html, text } = rendered;
  for (const address of to) {
    const checked = checkMail({ from, to: address, subject, html, text, headers: {}, tags: {} });
    if (!checked.ok) return checked;
  }
  return { ok: true };
}
