import type { Intent } from '../../src/domain/delivery.ts';

/** A mail of ordinary length. */
export function intentNumber(index: number): Omit<Intent, 'occasion'> {
  const number = String(index).padStart(9, '0');
  const paragraph = 'The section that you watch has a free seat again. Whoever registers first gets it.';
  const text = Array.from({ length: 6 }, () => paragraph).join('\n\n');
  const recipient = `person-${number}@example.org`;
  const variables = { subject: `A seat is free (${number})`, text };
  return { source: 'plain', recipient, lane: 'normal', toEmail: recipient, variables };
}
