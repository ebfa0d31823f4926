import { bounceRetryDelayMs, type Policy } from '../domain/policy.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { Report } from '../outbox/record.ts';
import type { Unconfirmed } from '../outbox/unconfirmed.ts';
import type { Progress, Provider } from '../providers/provider.ts';
import type { Clock } from '../std/clock.ts';
import type { Log } from '../std/log.ts';
import type { Pace } from './pace.ts';

/**
 * Word that never came is asked for: what became of mails that were accepted hours ago. With webhooks it finds what they
 * lost, without them everything. It is never urgent: a provider that is down or wants to be left alone is not asked, and what
 * it does not answer is asked later. What it learns is evidence like a webhook's, so that either may come first.
 */
export interface Heal {
  /** Answers how many mails it took on; while there are any, more may be waiting. */
  runOnce(signal: AbortSignal): Promise<number>;
}

export interface HealParts {
  outbox: Pick<Outbox, 'unconfirmed' | 'lookAgain' | 'record'>;
  provider: Pick<Provider, 'name' | 'account' | 'progress'>;
  pace: Pick<Pace, 'mayAsk'>;
  clock: Clock;
  log: Log;
  /** How patient the source of a delivery is with bounces. */
  policyOf: (source: string) => Policy;
}

const batchMax = 200;
/** Longer than any answer takes: two processes never ask about the same mail at once. */
const holdMs = 10 * 60_000;
/** Whoever may not ask is not told so every minute: somebody has to give the key more rights. */
const refusedMs = 60 * 60_000;
/** A provider that does not answer questions gets no more of them for a while. */
const silentMs = 5 * 60_000;

export function createHeal({ outbox, provider, pace, clock, log, policyOf }: HealParts): Heal {
  let askAt = clock.monotonic();
  let isRefusalTold = false;

  async function ask(mails: readonly Unconfirmed[], signal: AbortSignal): Promise<number> {
    const named = mails.flatMap(({ messageId, leftAt, account }) =>
      messageId !== null && account === provider.account ? [{ messageId, leftAt }] : [],
    );
    const { answers, isRefused } = await askSafely(named, signal);
    if (isRefused) {
      askAt = clock.monotonic() + refusedMs;
      if (!isRefusalTold) log.error('heal.refused', { provider: provider.name, account: provider.account });
      isRefusalTold = true;
    } else if (named.length > 0 && answers.size === 0) askAt = clock.monotonic() + silentMs;
    const reports: Report[] = [];
    const unchanged: number[] = [];
    for (const mail of mails) {
      const isOurs = mail.messageId !== null && mail.account === provider.account;
      const answer = isOurs ? answers.get(mail.messageId ?? '') : null;
      if (answer) reports.push(reportOf(mail, answer));
      else if (answer === null || isRefused) unchanged.push(mail.seq);
    }
    const recorded = await outbox.record(reports);
    await outbox.lookAgain(unchanged);
    const healed = recorded.filter(({ changed }) => changed).length;
    if (healed > 0) log.info('heal.found', { asked: named.length, healed });
    return mails.length;
  }

  /** A provider must not throw; if one does, nothing was answered. */
  const askSafely: NonNullable<Provider['progress']> = async (mails, signal) => {
    const nothing = { answers: new Map<string, Progress | null>(), isRefused: false };
    if (mails.length === 0 || !provider.progress) return nothing;
    return provider.progress(mails, signal).catch((error: unknown) => {
      log.error('provider.threw', { provider: provider.name, error });
      return nothing;
    });
  };

  function reportOf({ seq, source, round, messageId }: Unconfirmed, { event, at, error }: Progress): Report {
    return {
      ...{ seq, actor: 'heal', event, round: Math.max(round, 1), at, detail: { evidence: 'look-up' } },
      ...(messageId !== null && { messageId }),
      ...(error && { error }),
      ...(event === 'bounced_for_now' && {
        dueAt: clock.now() + bounceRetryDelayMs(policyOf(source), Math.max(round, 1)),
        roundsMax: policyOf(source).roundsMax,
      }),
    };
  }

  return {
    async runOnce(signal) {
      if (!provider.progress || clock.monotonic() < askAt || signal.aborted) return 0;
      if (!(await pace.mayAsk())) return 0;
      const mails = await outbox.unconfirmed({ limit: batchMax, holdMs });
      return mails.length === 0 ? 0 : ask(mails, signal);
    },
  };
}
