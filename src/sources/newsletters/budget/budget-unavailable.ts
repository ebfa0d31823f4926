/**
 * Why budgets could not be asked for. `later`: the same question may be answered in a while, and in `retryAfterMs` where somebody
 * said so. `never`: not before somebody changes a setting, or this program.
 */
export class BudgetUnavailable extends Error {
  /** `http_429`, `timed_out`, `unreachable`, `not_json`, `refused`, `unexpected_answer` … */
  readonly code: string;
  readonly when: 'later' | 'never';
  readonly retryAfterMs: number | undefined;

  constructor(
    when: 'later' | 'never',
    code: string,
    message: string,
    more: { retryAfterMs?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause });
    this.name = 'BudgetUnavailable';
    this.when = when;
    this.code = code;
    this.retryAfterMs = more.retryAfterMs;
  }
}
