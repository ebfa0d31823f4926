import { requireAddress } from '../../src/domain/address.ts';
import { type Mail, parseSender, requiredTags } from '../../src/domain/message.ts';

/** A whole mail that passes every check. */
export function mailTo(number: number, more: Partial<Mail> = {}): Mail {
  const from = parseSender('Tidings <noreply@example.org>');
  if (!from.ok) throw new Error(from.sentence);
  return {
    from: from.sender,
    to: requireAddress(`person-${number}@example.org`),
    subject: `Subject ${number}`,
    html: `<p>Text ${number}</p>`,
    text: `Text ${number}`,
    headers: { 'Auto-Submitted': 'auto-generated' },
    tags: requiredTags('00000000-0000-5000-8000-000000000000', 1, 'test'),
    ...more,
  };
}
