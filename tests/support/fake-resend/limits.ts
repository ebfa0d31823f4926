import type { Clock } from '../../../src/std/clock.ts';
import { type Answer, errorAnswer } from './answers.ts';
import type { Ledger } from './ledger.ts';

/** Null where there is none. Each holds for an account as a whole. */
export interface Limits {
  ratePerSecond: number | null;
  dailyQuota: number | null;
  monthlyQuota: number | null;
}

export interface Gauge {
  /** Counts a request of any kind; the refusal if it is one too many, and the headers for its answer. */
  pass(account: string): { refusal?: Answer; headers: Record<string, string> };
  /** The refusal if one more mail is over a quota. */
  overQuota(account: string): Answer | undefined;
}

export function createGauge(limits: Limits, clock: Clock, ledger: Ledger): Gauge {
  const passedAt = new Map<string, number[]>();

  function pass(account: string) {
    const { ratePerSecond } = limits;
    if (ratePerSecond === null) return { headers: {} };
    const now = clock.now();
    // A sliding second: there is no moment at which twice the rate gets through.
    const recent = (passedAt.get(account) ?? []).filter((at) => at > now - 1000);
    const isOver = recent.length >= ratePerSecond;
    if (!isOver) recent.push(now);
    passedAt.set(account, recent);
    const resetSeconds = String(Math.ceil(((recent[0] ?? now) + 1000 - now) / 1000));
    const headers = {
      'ratelimit-limit': String(ratePerSecond),
      'ratelimit-remaining': String(ratePerSecond - recent.length),
      'ratelimit-reset': resetSeconds,
    };
    if (!isOver) return { headers };
    const refusal = errorAnswer(429, 'rate_limit_exceeded', 'Too many requests.', {
      'retry-after': resetSeconds,
    });
    return { headers, refusal };
  }

  function overQuota(account: string): Answer | undefined {
    const today = new Date(clock.now()).toISOString();
    const countOf = (digits: number) =>
      ledger.accepted.filter(
        (mail) =>
          mail.account === account &&
          new Date(mail.at).toISOString().slice(0, digits) === today.slice(0, digits),
      ).length;
    if (limits.monthlyQuota !== null && countOf('2026-01'.length) >= limits.monthlyQuota) {
      return errorAnswer(429, 'monthly_quota_exceeded', 'You have reached your monthly email quota.');
    }
    if (limits.dailyQuota !== null && countOf('2026-01-01'.length) >= limits.dailyQuota) {
      return errorAnswer(429, 'daily_quota_exceeded', 'You have reached your daily email quota.');
    }
    return undefined;
  }

  return { pass, overQuota };
}
