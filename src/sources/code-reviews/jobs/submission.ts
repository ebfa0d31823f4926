import { type Address, addressKey, parseAddress } from '../../../domain/address.ts';
import { Refusal } from '../../../std/refusal.ts';
import { parseUrl } from '../../../std/url.ts';
import type { Finding } from '../mail/review-props.ts';

/**
 * What a review bot posts, and what is made of it: addresses parsed, recipients without repeats, a link that a mail may hold. Pure. Its
 * shape was checked before (`http/routes/review-shapes.ts`); what is wrong with its values is told all at once.
 */
export interface SubmitRequest {
  idempotency_key: string;
  changelist_id: string;
  review_version: number;
  rerun?: boolean;
  recipients: readonly { email: string; required?: boolean }[];
  title: string;
  url?: string;
  summary?: string;
  findings?: readonly Finding[];
  locale?: string;
}

export interface Submission {
  idempotencyKey: string;
  changelistId: string;
  version: number;
  isRerun: boolean;
  /** By address, in order. */
  recipients: readonly SubmittedRecipient[];
  title: string;
  url: string | null;
  summary: string | null;
  findings: readonly Finding[];
  locale: string | null;
}

interface SubmittedRecipient {
  /** The address in lower case: whom two spellings mean is one recipient. */
  recipient: string;
  address: Address;
  isRequired: boolean;
}

export interface SubmissionProblem {
  /** As in `recipients[3].email`. */
  field: string;
  problem: string;
}

/** With the problems, too, as much as could be understood: a repeated request is compared with the first even then. */
export interface ReadSubmission {
  submission: Submission;
  problems: readonly SubmissionProblem[];
}

export const recipientsMax = 500;
export const findingsMax = 1_000;

export function readSubmission(request: SubmitRequest): ReadSubmission {
  const { recipients, problems } = readRecipients(request.recipients);
  const { link = null, problem } = request.url === undefined ? {} : readLink(request.url);
  if (problem !== undefined) problems.push({ field: 'url', problem });
  problems.push(...textProblems(request));
  return {
    submission: {
      ...{ idempotencyKey: request.idempotency_key, changelistId: request.changelist_id },
      ...{ version: request.review_version, isRerun: request.rerun ?? false },
      ...{ recipients, title: request.title, url: link, summary: request.summary || null },
      findings: (request.findings ?? []).map(({ severity, message, file, line }) => ({
        ...{ severity, message },
        ...(file && { file }),
        ...(line !== undefined && line !== null && { line }),
      })),
      locale: request.locale ?? null,
    },
    problems,
  };
}

/** All bad addresses are named, by their places: the words of an address are somebody's. */
function readRecipients(asked: SubmitRequest['recipients']) {
  const problems: SubmissionProblem[] = [];
  const byKey = new Map<string, SubmittedRecipient>();
  for (const [place, { email, required = true }] of asked.entries()) {
    const parsed = parseAddress(email);
    if (!parsed.ok) {
      const field = `recipients[${place}].email`;
      problems.push({ field, problem: `${field}: ${parsed.sentence}` });
      continue;
    }
    const recipient = addressKey(parsed.address);
    const known = byKey.get(recipient);
    // Of two who ask for the same person, the one that insists is heard.
    byKey.set(recipient, {
      ...{ recipient, address: known?.address ?? parsed.address },
      isRequired: required || known?.isRequired === true,
    });
  }
  const recipients = [...byKey.values()].sort((a, b) => (a.recipient < b.recipient ? -1 : 1));
  if (problems.length === 0 && !recipients.some(({ isRequired }) => isRequired)) {
    problems.push({
      field: 'recipients',
      problem: 'recipients must hold at least one that is required: otherwise the job could never fail.',
    });
  }
  return { recipients, problems };
}

/** What neither database nor mail can hold: half of a character, and a text with nothing to be seen in it. */
function textProblems(request: SubmitRequest): SubmissionProblem[] {
  const { idempotency_key, changelist_id, title, summary = '', findings = [] } = request;
  const problems: SubmissionProblem[] = [];
  const check = (field: string, text: string, mustShow: boolean) => {
    if (!text.isWellFormed())
      problems.push({ field, problem: `${field} holds half of a Unicode character; send it as UTF-8.` });
    else if (mustShow && !visible.test(text))
      problems.push({ field, problem: `${field} has nothing in it that can be seen.` });
  };
  check('idempotency_key', idempotency_key, true);
  check('changelist_id', changelist_id, true);
  check('title', title, true);
  check('summary', summary, false);
  for (const [place, { message, file }] of findings.entries()) {
    check(`findings[${place}].message`, message, true);
    check(`findings[${place}].file`, file ?? '', false);
  }
  return problems;
}

/**
 * Any sign that leaves something on the page: no blank, no control, nothing that only steers its neighbours. Fillers are letters to
 * Unicode, and the empty pattern of braille is a symbol; both look like nothing.
 */
const visible = /[^\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

const linkCharactersMax = 2_048;

/** Percent-encoded where it was not: other letters are no address that every mail program opens. */
function readLink(text: string): { link?: string; problem?: string } {
  const url = parseUrl(text.trim());
  const isPlain = url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  if (!isPlain) return { problem: 'url must be an http or https address without a password.' };
  const link = url.href.replaceAll(/[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]/g, encodeURIComponent);
  return link.length <= linkCharactersMax
    ? { link }
    : { problem: `url has more than ${linkCharactersMax} characters, as it would stand in a mail.` };
}

/** Also of five hundred bad addresses each is named. */
export function submissionRefusal(problems: readonly SubmissionProblem[]): Refusal {
  const [first] = problems;
  const more = problems.length > 1 ? ` And ${problems.length - 1} more: see details.` : '';
  return new Refusal('invalid_review', `${first?.problem ?? ''}${more}`, { problems: [...problems] });
}
