import type { Address } from '../domain/address.ts';
import { checkMail, parseSender } from '../domain/message.ts';
import { type RenderOrder, render } from './render.ts';

/**
 * Would this mail pass the checks on the way out? Asked at the door, where the answer still reaches whoever can change the
 * text; later it would end the delivery.
 */
export type Sendable = { ok: true } | { ok: false; code: string; sentence: string };

export async function checkSendable(order: RenderOrder, to: readonly Address[]): Promise<Sendable> {
  const rendered = await render(order);
  if (!rendered.ok) return rendered;
  const { subject, html, text } = rendered;
  // The sender was checked with the configuration; any good one stands in for it.
  const sender = parseSender('sender@example.org');
  if (!sender.ok) throw new Error(sender.sentence);
  const from = sender.sender;
  for (const address of to) {
    const checked = checkMail({ from, to: address, subject, html, text, headers: {}, tags: {} });
    if (!checked.ok) return checked;
  }
  return { ok: true };
}
