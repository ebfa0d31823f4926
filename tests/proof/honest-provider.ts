import { bodyHash, type Mail } from '../../src/domain/message.ts';
import type { LookUp, Outcome } from '../../src/domain/outcome.ts';
import type { Parcel, Provider } from '../../src/providers/provider.ts';
import type { Clock } from '../../src/std/clock.ts';
import { dayMs, minuteMs } from './times.ts';

/**
 * A provider that keeps its word, on the test's clock: keys are known for a day, and a look-up reads the log back to the
 * moment that it is asked for, as Resend's does. Every mail that it ever accepted is in `ledger`, whatever it said.
 */
export interface HonestProvider extends Provider {
  readonly ledger: readonly Accepted[];
  /** Mails that were handed over, whatever came of them. */
  readonly calls: readonly { key: string; at: number }[];
  readonly probes: number;
  mood: Mood;
}

export interface Accepted {
  key: string;
  deliveryId: string;
  to: string;
  subject: string;
  text: string;
  messageId: string;
  at: number;
}

/**
 * unreachable: connections are refused. mute: it does its work, and no answer about a mail arrives. deaf: mails do not arrive
 * either. Probes are answered by all but the first.
 */
export type Mood = 'well' | 'unreachable' | 'mute' | 'deaf';

export interface ProviderKind {
  hasKeys?: boolean;
  canLookUp?: boolean;
  /** How long it really knows a key; it always declares a day. */
  forgetsAfterMs?: number;
}

/** Between its clock and ours, as for Resend. */
const skewMs = 5 * minuteMs;

export function createHonestProvider(
  clock: Clock,
  { hasKeys = true, canLookUp = true, forgetsAfterMs = dayMs }: ProviderKind = {},
): HonestProvider {
  const ledger: Accepted[] = [];
  const calls: { key: string; at: number }[] = [];
  const keys = new Map<string, { hash: string; messageId: string; until: number }>();
  let probes = 0;

  function accept(key: string, mail: Mail): Outcome {
    const known = hasKeys ? keys.get(key) : undefined;
    const hash = bodyHash(mail);
    if (known && clock.now() < known.until) {
      return known.hash === hash
        ? { kind: 'accepted', messageId: known.messageId }
        : { kind: 'key_conflict', error: { code: 'invalid_idempotent_request' } };
    }
    const messageId = `message-${ledger.length + 1}`;
    const { to, subject, text, tags } = mail;
    const { delivery_id: deliveryId = '' } = tags;
    ledger.push({ key, deliveryId, to, subject, text, messageId, at: clock.now() });
    keys.set(key, { hash, messageId, until: clock.now() + forgetsAfterMs });
    return { kind: 'accepted', messageId };
  }

  const provider: HonestProvider = {
    name: 'honest',
    account: 'honest:1',
    guarantees: {
      idempotencyWindowMs: hasKeys ? dayMs : null,
      indexingDelayMs: 0,
      longestCallMs: 10_000,
      concurrency: 4,
      ratePerSecond: null,
    },
    ledger,
    calls,
    get probes() {
      return probes;
    },
    mood: 'well',
    async send({ key, mail }: Parcel): Promise<Outcome> {
      calls.push({ key, at: clock.now() });
      if (provider.mood === 'unreachable') {
        return { kind: 'deferred', trouble: 'unreachable', error: { code: 'connection_refused' } };
      }
      const outcome = provider.mood === 'deaf' ? null : accept(key, mail);
      return provider.mood === 'well' && outcome
        ? outcome
        : { kind: 'unknown', error: { code: 'no_answer' } };
    },
    ...(canLookUp && {
      async lookUp({ key, sentAfter }): Promise<LookUp> {
        if (provider.mood !== 'well') return { kind: 'unknown' };
        const found = ledger.find((mail) => mail.key === key && mail.at >= sentAfter - skewMs);
        return found ? { kind: 'found', messageId: found.messageId, at: found.at } : { kind: 'absent' };
      },
    }),
    async probe() {
      probes += 1;
      return provider.mood === 'unreachable' ? { isUp: false, reason: 'connection refused' } : { isUp: true };
    },
  };
  return provider;
}
