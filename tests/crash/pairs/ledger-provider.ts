import { bodyHash } from '../../../src/domain/message.ts';
import type { Provider } from '../../../src/providers/provider.ts';
import { createResend } from '../../../src/providers/resend.ts';
import { createSmtp } from '../../../src/providers/smtp.ts';
import { connections, madePatient } from '../counterparts.ts';
import type { JumpingClock } from '../jumping-clock.ts';

/**
 * A provider without a wire, for as many lives as there are pairs of points: it promises what the real client promises, and
 * keeps it. What it takes is in the ledger at once, and its answer comes a turn later: whoever dies in between has sent.
 */
export interface Entry {
  key: string;
  hash: string;
  to: string;
  at: number;
  messageId: string;
}

export type Kind = 'resend' | 'smtp';

export function createLedgerProvider(kind: Kind, ledger: Entry[], clock: JumpingClock): Provider {
  const { name, account, guarantees } = promisesOf(kind, clock);
  const { idempotencyWindowMs, indexingDelayMs } = guarantees;
  const isKnown = (entry: Entry, key: string) =>
    idempotencyWindowMs !== null && entry.key === key && clock.now() < entry.at + idempotencyWindowMs;
  const provider: Provider = {
    ...{ name, account, guarantees },
    async send({ key, mail }) {
      const hash = bodyHash(mail);
      const known = ledger.find((entry) => isKnown(entry, key));
      const messageId = known?.messageId ?? `message-${ledger.length + 1}`;
      if (!known) ledger.push({ key, hash, to: mail.to, at: clock.now(), messageId });
      await new Promise(setImmediate);
      if (known && known.hash !== hash) return conflict;
      return { kind: 'accepted', messageId };
    },
    ...(kind === 'resend' && {
      async lookUp({ key }) {
        await new Promise(setImmediate);
        const found = ledger.find((entry) => entry.key === key && entry.at + indexingDelayMs <= clock.now());
        return found ? { kind: 'found', messageId: found.messageId, at: found.at } : { kind: 'absent' };
      },
    }),
    probe: async () => ({ isUp: true }),
  };
  return madePatient(provider, clock.patient);
}

const conflict = {
  kind: 'key_conflict',
  error: { code: 'invalid_idempotent_request', message: 'key used with another body' },
} as const;

/** Read off the clients themselves, which are never used. */
function promisesOf(kind: Kind, { patient: clock }: JumpingClock): Provider {
  return kind === 'smtp'
    ? createSmtp({ url: 'smtp://127.0.0.1:9', clock, connections })
    : createResend({
        ...{ apiKey: 're_test', baseUrl: 'http://127.0.0.1:9', clock },
        ...{ connections, ratePerSecond: 1_000 },
      });
}
