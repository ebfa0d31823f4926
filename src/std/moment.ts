const months = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
] as const;

/** In a sentence, for operators all over the world: `1 September 2026, 14:05 UTC`. No order of figures to be guessed, no clock but one. */
export function momentName(at: number): string {
  const moment = new Date(at);
  const day = `${moment.getUTCDate()} ${months[moment.getUTCMonth()]} ${moment.getUTCFullYear()}`;
  return `${day}, ${moment.toISOString().slice(11, 16)} UTC`;
}
