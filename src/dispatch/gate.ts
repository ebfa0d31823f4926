import type { Consent } from '../consent/consent.ts';
import type { LastCheck, Verdict } from '../outbox/begin.ts';
import type { Source } from '../sources/source.ts';
import type { Clock } from '../std/clock.ts';

/**
 * May this still go out, to this address? Asked in the transaction that begins the send, so that no send begins after
 * an unsubscribe or a suppression was committed. Consent outweighs the clock, and both outweigh the source.
 */
export function gateOf(source: Source, consent: Pick<Consent, 'against'>, clock: Clock): LastCheck {
  return async (batch, tx) => {
    const claimed = batch.map((each) => each.claimed);
    const verdicts = new Map<number, Verdict>(await source.recheck?.(claimed, tx));
    for (const { seq, expiresAt } of claimed) {
      if (expiresAt !== null && expiresAt <= clock.now()) verdicts.set(seq, verdictOf('expired'));
    }
    const addressed = batch.map(({ claimed: { seq, source, recipient }, mail: { to } }) => ({
      ...{ seq, source, recipient, to },
    }));
    for (const [seq, event] of await consent.against(addressed, tx)) verdicts.set(seq, verdictOf(event));
    return verdicts;
  };
}

/** 000-65: an end that nobody has explained says in its own name why, and not why the last attempt failed. */
const reasons = {
  unsubscribed: 'They have said that they want no more of these mails.',
  address_suppressed: 'Nothing is sent to this address any more.',
  expired: 'Its last moment has passed.',
} as const;

function verdictOf(event: keyof typeof reasons): Verdict {
  return { event, error: { code: event, message: reasons[event] } };
}
