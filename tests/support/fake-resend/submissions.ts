import type { Clock } from '../../../src/std/clock.ts';
import type { Ids } from '../../../src/std/ids.ts';
import { type Answer, errorAnswer } from './answers.ts';
import type { AcceptedMail, Ledger } from './ledger.ts';
import type { Gauge } from './limits.ts';
import { readMailBody } from './mail-body.ts';

/** `POST /emails`: one key, one mail, for as long as the key is known. */
export interface Submissions {
  /**
   * `work` is the time between taking the mail and accepting it, during which its key is in flight; it answers whether the
   * mail is accepted in the end.
   */
  submit(
    account: string,
    key: string | null,
    bodyText: string,
    work: () => Promise<boolean>,
  ): Promise<Answer>;
}

export interface SubmissionsParts {
  clock: Clock;
  ids: Ids;
  ledger: Ledger;
  gauge: Gauge;
  idempotencyWindowMs: number;
}

export function createSubmissions({
  clock,
  ids,
  ledger,
  gauge,
  idempotencyWindowMs,
}: SubmissionsParts): Submissions {
  const inFlight = new Set<string>();
  const known = new Map<string, AcceptedMail>();

  function replayOf(scoped: string, bodyText: string): Answer | undefined {
    const mail = known.get(scoped);
    if (!mail || clock.now() - mail.at >= idempotencyWindowMs) return undefined;
    // Byte for byte, which is stricter than the real one: whoever passes here passes there.
    if (mail.bodyText !== bodyText) {
      return errorAnswer(409, 'invalid_idempotent_request', 'Same idempotency key, different payload.');
    }
    mail.submissions += 1;
    return { status: 200, body: { id: mail.id } };
  }

  return {
    async submit(account, key, bodyText, work) {
      if (key !== null && (key.length < 1 || key.length > 256)) {
        return errorAnswer(400, 'invalid_idempotency_key', 'The key must be between 1-256 chars.');
      }
      const scoped = `${account}\n${key}`;
      if (key !== null && inFlight.has(scoped)) {
        return errorAnswer(409, 'concurrent_idempotent_requests', 'The original request is in progress.');
      }
      const replay = key === null ? undefined : replayOf(scoped, bodyText);
      if (replay) return replay;
      const read = readMailBody(bodyText);
      if ('refusal' in read) return read.refusal;
      const overQuota = gauge.overQuota(account);
      if (overQuota) return overQuota;

      if (key !== null) inFlight.add(scoped);
      const isAccepted = await work();
      inFlight.delete(scoped);
      if (!isAccepted) return errorAnswer(500, 'application_error', 'An unexpected error occurred.');
      const mail: AcceptedMail = {
        ...{ id: ids.uuid(), key, account, body: read.mail, bodyText, at: clock.now() },
        ...{ submissions: 1, lastEvent: 'sent' },
      };
      ledger.accepted.push(mail);
      if (key !== null) known.set(scoped, mail);
      return { status: 200, body: { id: mail.id } };
    },
  };
}
