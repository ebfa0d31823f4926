/** Why an address must not be mailed. The words after "The address must not be mailed:" come from here. */
export const suppressionReasons = {
  bounced_for_good: 'a mail to it bounced for good',
  complained: 'the recipient reported a mail as spam',
  provider_suppressed: 'the provider does not mail it',
  mailbox_unknown: 'the mail server said that there is no such mailbox',
  operator: 'an operator put it on the list',
  imported: 'it came with an imported list',
  unsubscribed: 'the recipient stopped all mails',
} as const;

export type SuppressionReason = keyof typeof suppressionReasons;

export const suppressionReasonNames = Object.keys(suppressionReasons) as SuppressionReason[];

/** The scope of a suppression that holds for every source. */
export const everySource = '*';

/** The command that takes a line off the list. Of an address that was forgotten there is no word. */
export function liftCommand(
  { scope, reason }: { scope: string; reason: string },
  address: string | null,
): string {
  const words = [
    ...['npx tidings suppressions remove', address ?? '<address>'],
    // A source's name needs no quoting.
    ...(scope === everySource ? [] : ['--scope', scope]),
    ...(reason === 'unsubscribed' ? ['--their-own'] : []),
  ];
  return `${words.join(' ')} --because "…"`;
}

/** Who has done what a person did by the link in a mail. */
export const recipientActor = 'the recipient';

/** For how long somebody can take back that they left, by the link with which they did. */
export const undoWithinMs = 24 * 3_600_000;

/** Of which sources somebody wants mail again who had stopped everything. */
export const exceptions = (exceptFor: string | null): readonly string[] =>
  exceptFor === null ? [] : (JSON.parse(exceptFor) as string[]);

/** Whether a line of the list is against a mail of this source. */
export function holdsFor(line: { scope: string; except_for: string | null }, source: string): boolean {
  return (
    line.scope === source || (line.scope === everySource && !exceptions(line.except_for).includes(source))
  );
}
