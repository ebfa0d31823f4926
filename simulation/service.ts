import { bodyHash, type Mail } from '../src/domain/message.ts';
import type { LookUp, Outcome } from '../src/domain/outcome.ts';
import type { Guarantees, MailReference, Parcel } from '../src/providers/provider.ts';
import type { Clock } from '../src/std/clock.ts';
import { type Chance, hourMs } from './chance.ts';
import type { Ledger } from './ledger.ts';
import type { Story } from './story.ts';

/**
 * The far side of the wire: one account at a provider. It goes on working when the process that called it dies, forgets
 * keys after a day, loses answers, and breaks none of the guarantees that it declares.
 */
export interface Service {
  readonly account: string;
  readonly guarantees: Guarantees;
  readonly canLookUp: boolean;
  send(parcel: Parcel): Promise<Outcome>;
  lookUp(reference: MailReference): Promise<LookUp>;
  probe(): Promise<{ isUp: true } | { isUp: false; reason: string }>;
}

export interface ProviderKind {
  hasKey: boolean;
  canLookUp: boolean;
  longestCallMs: number;
  ratePerSecond: number | null;
}

export interface ServiceParts {
  account: string;
  kind: ProviderKind;
  chance: Chance;
  clock: Clock;
  ledger: Ledger;
  story: Story;
  /** Off while the run is being brought to its end. */
  isTroubled: () => boolean;
}

const windowMs = 24 * hourMs; // As Resend's.
const indexingDelayMs = 30_000;

const fates = { accept: 60, vanish: 6, refuse_for_now: 9, refuse_for_good: 5, throttle: 3, unreachable: 3 };

export function createService(parts: ServiceParts): Service {
  const { account, kind, chance, clock, ledger, story, isTroubled } = parts;
  const { longestCallMs, ratePerSecond } = kind;
  const keys = new Map<string, { hash: string; messageId: string; at: number }>();
  const underWay = new Set<string>();

  /** What the service does with a request, whether or not anybody hears the answer. */
  async function decide(parcel: Parcel, fate: keyof typeof fates, workMs: number): Promise<Outcome> {
    const error = { code: fate, provider: account };
    if (fate === 'throttle') return { kind: 'deferred', trouble: 'throttled', retryAfterMs: 2_000, error };
    if (fate === 'unreachable') return { kind: 'deferred', trouble: 'unreachable', error };
    if (kind.hasKey && underWay.has(parcel.key)) return concurrent();
    underWay.add(parcel.key);
    await clock.sleep(workMs);
    underWay.delete(parcel.key);
    if (fate === 'vanish') return unknown('time_out');
    // A refusal is decided before the key is looked at: it says nothing about an earlier request.
    if (fate === 'refuse_for_now') return { kind: 'refused_for_now', error };
    if (fate === 'refuse_for_good') return { kind: 'refused_for_good', error };
    return accept(parcel.key, parcel.mail);
  }

  function accept(key: string, mail: Mail): Outcome {
    const hash = bodyHash(mail);
    const known = kind.hasKey ? keys.get(key) : undefined;
    if (known && clock.now() < known.at + windowMs) {
      if (known.hash !== hash) return { kind: 'key_conflict', error: { code: 'key_conflict' } };
      return { kind: 'accepted', messageId: known.messageId };
    }
    const { messageId } = ledger.accept(account, key, mail);
    keys.set(key, { hash, messageId, at: clock.now() });
    return { kind: 'accepted', messageId };
  }

  return {
    account,
    canLookUp: kind.canLookUp,
    guarantees: {
      idempotencyWindowMs: kind.hasKey ? windowMs : null,
      indexingDelayMs,
      longestCallMs,
      concurrency: 2,
      ratePerSecond,
    },
    async send(parcel) {
      if (clock.monotonic() > parcel.startBefore) {
        story.tell(`a mail is held back by its sender: its time is over`);
        return { kind: 'deferred', error: { code: 'not_started' } };
      }
      const fate = isTroubled() ? chance.weighted(fates) : 'accept';
      const isSlow = isTroubled() && chance.isTrue(0.25);
      const workMs = isSlow ? chance.between(0, longestCallMs) : chance.between(0, 300);
      const isLost = isTroubled() && chance.isTrue(0.2);
      const isDoubled = isTroubled() && kind.hasKey && chance.isTrue(0.03);
      const loseMs = chance.between(0, isSlow ? longestCallMs : 1_000);
      const decided = decide(parcel, fate, workMs);
      // A proxy sends the request twice, and it is the second copy's answer that comes back.
      if (isDoubled && underWay.has(parcel.key)) return concurrent();
      if (!isLost) return decided;
      await clock.sleep(loseMs);
      return unknown('connection_lost');
    },
    async lookUp({ key, sentAfter }) {
      await clock.sleep(chance.between(0, 500));
      if (isTroubled() && chance.isTrue(0.15)) return { kind: 'unknown' };
      // An index that is late, but never later than promised.
      const indexedUntil = clock.now() - (isTroubled() ? chance.between(0, indexingDelayMs) : 0);
      const found = ledger.entries.find(
        (entry) => entry.account === account && entry.key === key && entry.acceptedAt <= indexedUntil,
      );
      if (!found || found.acceptedAt < sentAfter - hourMs) return { kind: 'absent' };
      return { kind: 'found', messageId: found.messageId, at: found.acceptedAt };
    },
    async probe() {
      return isTroubled() && chance.isTrue(0.3) ? { isUp: false, reason: 'still down' } : { isUp: true };
    },
  };
}

const unknown = (code: string): Outcome => ({ kind: 'unknown', error: { code } });
const concurrent = (): Outcome => ({ kind: 'unknown', isAttempt: false, error: { code: 'concurrent' } });
