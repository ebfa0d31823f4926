/**
 * A stranger's words as a mail may hold them. A template refuses what it cannot show, and a name with a line break would lose
 * somebody their mail: so everything is brought into one short line here.
 */
export function lineOf(text: string | null | undefined, charactersMax: number): string {
  const line = (text ?? '')
    .toWellFormed()
    // Signs that turn round what stands beside them; and the byte order mark, which some readers drop.
    .replace(/[\u202a-\u202e\u2066-\u2069\ufeff]/g, '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    // In a subject this would begin an encoded word, which a mail program shows as another text.
    .replaceAll('=?', '= ?')
    .trim();
  if (line.length <= charactersMax) return line;
  const cut = line.slice(0, charactersMax - 1).replace(/[\ud800-\udbff]$/, '');
  return `${cut.trimEnd()}…`;
}
