import type { Clock } from '../../src/std/clock.ts';
import type { Webhooks } from '../../src/webhooks/webhook.ts';
import { type EventWords, eventBody, signed } from './signed.ts';

/** As Resend would tell it, signed now; a refusal is a mistake of the test. */
export async function tellSigned(
  { webhooks, clock }: { webhooks: Webhooks; clock: Pick<Clock, 'now'> },
  id: string,
  words: EventWords,
): Promise<void> {
  const body = eventBody({ at: clock.now(), ...words });
  const answer = await webhooks.receive(signed(id, body, { at: clock.now() }));
  if (answer.isRefused) throw new Error(`the webhook was refused: ${answer.problem}`);
}
