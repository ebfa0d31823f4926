import { afterBounce, type Policy } from '../domain/policy.ts';
import type { DeliveryError } from '../domain/transition.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { Report } from '../outbox/record.ts';
import { isOldNews, type Unconfirmed } from '../outbox/unconfirmed.ts';
import type { MayAsk, Progress, Provider } from '../providers/provider.ts';
import type { Source } from '../sources/source.ts';
import type { Clock } from '../std/clock.ts';
import { duration } from '../std/duration.ts';
import type { Log } from '../std/log.ts';
import type { Pace } from './pace.ts';
import { createSlots } from './slots.ts';

/**
 * Word that never came is asked for: what became of mails that were accepted hours ago. With webhooks it finds what they
 * lost, without them everything. It is never urgent: each question takes the place of a mail in the shared pace, none is asked
 * while mail is due or the provider is down or wants to be left alone, and what is not answered is asked later. What it
 * learns is evidence like a webhook's, so that either may come first.
 */
export interface Heal {
  /** Answers how many mails it took on; while there are any, more may be waiting. */
  runOnce(signal: AbortSignal): Promise<number>;
}

export interface HealParts {
  outbox: Pick<Outbox, 'unconfirmed' | 'lookAgain' | 'record' | 'due'>;
  provider: Pick<Provider, 'name' | 'account' | 'progress'>;
  sources: readonly Pick<Source, 'name'>[];
  pace: Pick<Pace, 'mayAsk' | 'take' | 'giveBack' | 'probeIfDue'>;
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

export function createHeal(parts: HealParts): Heal {
  const { outbox, provider, pace, clock, log, policyOf } = parts;
  const names = parts.sources.map(({ name }) => name);
  let askAt = clock.monotonic();
  let isRefusalTold = false;

  async function ask(mails: readonly Unconfirmed[], signal: AbortSignal): Promise<number> {
    const idOf = ({ messageId, account }: Unconfirmed) => (account === provider.account ? messageId : null);
    const named = mails.flatMap((mail) => {
      const messageId = idOf(mail);
      return messageId === null ? [] : [{ messageId, leftAt: mail.leftAt }];
    });
    const { answers, isRefused } = await askSafely(named, () =>
      // A database that fails is heard of when the answers are written down.
      permitFor(signal).catch(() => false),
    );
    if (isRefused) {
      askAt = clock.monotonic() + refusedMs;
      if (!isRefusalTold) log.error('heal.refused', { provider: provider.name, account: provider.account });
      isRefusalTold = true;
    } else if (named.length > 0 && answers.size === 0) askAt = clock.monotonic() + silentMs;
    const reports: Report[] = [];
    const unchanged: number[] = [];
    for (const mail of mails) {
      const messageId = idOf(mail);
      const answer = messageId === null ? null : answers.get(messageId);
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
  const askSafely: NonNullable<Provider['progress']> = async (mails, mayAsk: MayAsk) => {
    const nothing = { answers: new Map<string, Progress | null>(), isRefused: false };
    if (mails.length === 0 || !provider.progress) return nothing;
    return provider.progress(mails, mayAsk).catch((error: unknown) => {
      log.error('provider.threw', { provider: provider.name, error });
      return nothing;
    });
  };

  /** For one question: mail that is due goes first. */
  async function permitFor(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    const { pausedSources, ...permits } = await pace.take(1);
    const isFree = permits.count > 0 && !(await isMailDue(pausedSources));
    // Whether an outage is over is found out by one mail: a question does not stand in its place, nor wait for it.
    if (!isFree || permits.isTrial) await pace.giveBack(permits, 0);
    if (!isFree || permits.isTrial) return isFree;
    return (await createSlots(permits, pace, clock).next(signal)) && !signal.aborted;
  }

  async function isMailDue(pausedSources: ReadonlySet<string>): Promise<boolean> {
    return (await outbox.due(names)).some(({ source }) => !pausedSources.has(source));
  }

  function reportOf(mail: Unconfirmed, { event, at, error, to }: Progress): Report {
    const { seq, id, traceId, source, messageId } = mail;
    const round = Math.max(mail.round, 1);
    const isTooLate = event === 'bounced_for_now' && isOldNews(mail, clock.now());
    return {
      ...{ seq, id, traceId, actor: 'heal', event, round, at, detail: { evidence: 'look-up' } },
      ...(messageId !== null && { messageId }),
      ...(to && { address: to }),
      ...(error && { error: isTooLate ? tooLate(error, clock.now() - mail.leftAt) : error }),
      ...(event === 'bounced_for_now' && afterBounce(policyOf(source), round, clock.now())),
      ...(isTooLate && { roundsMax: round }),
    };
  }

  return {
    async runOnce(signal) {
      if (!provider.progress || clock.monotonic() < askAt || signal.aborted) return 0;
      const free = await pace.mayAsk();
      if (!free) {
        // No mail may be waiting, and then nobody else asks whether the provider is up again.
        await pace.probeIfDue();
        return 0;
      }
      if (await isMailDue(free.pausedSources)) return 0;
      const mails = await outbox.unconfirmed({ limit: batchMax, holdMs });
      return mails.length === 0 ? 0 : ask(mails, signal);
    },
  };
}

function tooLate(error: DeliveryError, sinceMs: number): DeliveryError {
  const why = `found out ${duration(sinceMs)} after it left, too late for a new mail`;
  return { ...error, code: 'found_too_late', message: `${error.message ?? error.code}; ${why}` };
}
