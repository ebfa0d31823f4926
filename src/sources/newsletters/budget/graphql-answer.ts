import { BudgetUnavailable } from './budget-unavailable.ts';

/** What an HTTP answer of a GraphQL API means. Pure, but that it throws: a question is answered, or asked again later, or never. */
export interface HttpAnswer {
  status: number;
  retryAfterMs: number | undefined;
  /** Undefined for what is none. */
  json: unknown;
}

export function dataOf({ status, retryAfterMs, json }: HttpAnswer): unknown {
  const error = firstErrorIn(json);
  const isPassing = status >= 500 || [408, 425, 429].includes(status);
  if (isPassing) throw later(`http_${status}`, `the budget API answered ${status}`, retryAfterMs);
  // A refusal of what was asked, in words: servers differ in whether that is 200 or 400.
  if (error && (status === 200 || status === 400)) throw refusalOf(error, status, retryAfterMs);
  if (status < 200 || status > 299) {
    const hint = status < 400 ? ': a redirect, which is not followed' : '; check BUDGET_API_URL';
    throw new BudgetUnavailable('never', `http_${status}`, `the budget API answered ${status}${hint}`);
  }
  // A page of a proxy, or half of an answer, is none of the API's words.
  if (json === undefined) throw later('not_json', 'the budget API answered with something that is no JSON');
  const { data } = (json ?? {}) as { data?: unknown };
  if (typeof data === 'object' && data !== null) return data;
  throw unexpectedAnswer('an object that is called data', data);
}

interface GraphqlError {
  message: string;
  code: string;
}

function firstErrorIn(json: unknown): GraphqlError | undefined {
  const { errors } = (json ?? {}) as { errors?: unknown };
  if (!Array.isArray(errors) || errors.length === 0) return undefined;
  const { message, extensions, code } = (errors[0] ?? {}) as Record<string, unknown>;
  const ownCode = (extensions as { code?: unknown } | null | undefined)?.code ?? code;
  return {
    message: typeof message === 'string' ? message.slice(0, 300) : 'without a word',
    code: typeof ownCode === 'string' ? ownCode : '',
  };
}

/** What the question itself is blamed for. Anything else is the server's own trouble (its database timed out, for one). */
const blames = /VALIDATION|BAD_USER_INPUT|BAD_REQUEST|PARSE|INVALID|FORBIDDEN|UNAUTHENTICATED/i;

function refusalOf({ message, code }: GraphqlError, status: number, retryAfterMs: number | undefined) {
  const isFinal = status === 400 || blames.test(code);
  const sentence = `the budget API refused the question: ${message}`;
  return isFinal
    ? new BudgetUnavailable('never', 'refused', sentence)
    : later('failed', sentence, retryAfterMs);
}

const later = (code: string, message: string, retryAfterMs?: number) =>
  new BudgetUnavailable('later', code, message, { retryAfterMs });

/** The API is another than we know: asked again, it still is. */
export function unexpectedAnswer(expected: string, found: unknown): BudgetUnavailable {
  const seen = (JSON.stringify(found) ?? 'nothing').slice(0, 80);
  return new BudgetUnavailable(
    'never',
    'unexpected_answer',
    `the budget API answered without ${expected}: ${seen}`,
  );
}
