import { type Answer, errorAnswer } from './answers.ts';
import type { MailBody } from './ledger.ts';

/** The mail that was submitted, or what Resend would have against it. */
export function readMailBody(text: string): { mail: MailBody } | { refusal: Answer } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { refusal: errorAnswer(400, 'validation_error', 'The request body is not JSON.') };
  }
  const mail = (typeof value === 'object' && value !== null ? value : {}) as Partial<MailBody>;
  const missing = (['from', 'to', 'subject'] as const).find((field) => !mail[field]);
  if (missing) return refuse('missing_required_field', `Missing \`${missing}\` field.`);
  if (!mail.html && !mail.text) return refuse('missing_required_field', 'Missing `html` or `text` field.');
  const people = [mail.from, mail.to, mail.reply_to ?? []].flat();
  const stranger = people.find((person) => !/^[^\r\n]*[^\s@<]+@[^\s@>]+>?$/.test(String(person)));
  if (stranger !== undefined) return refuse('validation_error', `Invalid address: ${stranger}.`);
  const injected = Object.entries(mail.headers ?? {}).flat();
  if (injected.some((word) => /[\r\n]/.test(word))) return refuse('validation_error', 'Invalid `headers`.');
  return tagsProblem(mail.tags ?? []) ?? { mail: mail as MailBody };
}

function tagsProblem(tags: unknown): { refusal: Answer } | undefined {
  if (!Array.isArray(tags)) return refuse('validation_error', 'The `tags` field must be an array.');
  if (tags.length > 75) return refuse('validation_error', 'There are more than 75 tags.');
  const isTag = (tag: { name?: unknown; value?: unknown } | null) =>
    [tag?.name, tag?.value].every((word) => typeof word === 'string' && /^[A-Za-z0-9_-]{1,256}$/.test(word));
  return tags.every(isTag)
    ? undefined
    : refuse(
        'validation_error',
        'Tags should only contain ASCII letters, numbers, underscores, or dashes, 256 at most.',
      );
}

function refuse(name: string, message: string): { refusal: Answer } {
  return { refusal: errorAnswer(422, name, message) };
}
