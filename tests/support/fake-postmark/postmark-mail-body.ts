import { errorAnswer, type PostmarkAnswer } from './postmark-answers.ts';
import type { MailBody } from './postmark-ledger.ts';

/** What Postmark checks of a mail before it takes it. */
export function readMailBody(bodyText: string): { mail: MailBody } | { refusal: PostmarkAnswer } {
  const refused = (code: number, message: string) => ({ refusal: errorAnswer(422, code, message) });
  let mail: MailBody;
  try {
    mail = JSON.parse(bodyText);
  } catch {
    return refused(402, 'Invalid JSON');
  }
  if (typeof mail !== 'object' || mail === null) return refused(403, 'Incompatible JSON');
  if (!isAddress(mail.From)) return refused(300, `Invalid 'From' address: '${mail.From}'.`);
  if (!isAddress(mail.To)) return refused(300, `Invalid 'To' address: '${mail.To}'.`);
  if (!mail.HtmlBody && !mail.TextBody)
    return refused(300, 'Provide either email TextBody or HtmlBody or both.');
  const tooLong = [mail.HtmlBody, mail.TextBody].some(
    (body) => Buffer.byteLength(body ?? '') > 5 * 1_048_576,
  );
  if (tooLong) return refused(300, 'A body is larger than 5 MB.');
  const metadata = Object.entries(mail.Metadata ?? {});
  if (metadata.length > 10) return refused(300, 'Metadata can have up to 10 fields.');
  if (metadata.some(([name, value]) => name.length > 20 || typeof value !== 'string' || value.length > 80)) {
    return refused(300, 'Metadata names have up to 20 characters, values up to 80.');
  }
  return { mail };
}

const isAddress = (text: unknown) =>
  typeof text === 'string' && /^(?:[^<>\r\n]* <)?[^\s<>@]+@[^\s<>@]+>?$/.test(text);
