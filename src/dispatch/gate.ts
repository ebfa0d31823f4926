import type { Suppressions } from '../consent/suppressions.ts';
import { addressKey } from '../domain/address.ts';
import type { LastCheck, Verdict } from '../outbox/begin.ts';
import type { Source } from '../sources/source.ts';
import type { Clock } from '../std/clock.ts';

/**
 * May this still go out, to this address? Asked in the transaction that begins the send, so that no send begins after
 * an unsubscribe or a suppression was committed. Consent outweighs the clock, and both outweigh the source.
 */
export function gateOf(source: Source, suppressions: Suppressions, clock: Clock): LastCheck {
  return async (batch, tx) => {
    const claimed = batch.map((each) => each.claimed);
    const verdicts = new Map<number, Verdict>(await source.recheck?.(claimed, tx));
    for (const { seq, expiresAt } of claimed) {
      if (expiresAt !== null && expiresAt <= clock.now()) verdicts.set(seq, { event: 'expired' });
    }
    const suppressed = await suppressions.among(
      batch.map(({ mail }) => mail.to),
      tx,
    );
    for (const { claimed, mail } of batch) {
      if (suppressed.has(addressKey(mail.to))) verdicts.set(claimed.seq, { event: 'address_suppressed' });
    }
    return verdicts;
  };
}
