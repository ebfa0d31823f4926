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
  return shortened(line, charactersMax);
}

/** The same of a text of several lines. Line breaks stay, and one blank line between paragraphs. */
export function paragraphsOf(text: string | null | undefined, charactersMax: number): string {
  const lines = (text ?? '').split(/\r\n|[\n\r]/).map((line) => lineOf(line, charactersMax));
  const joined = lines
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
  return shortened(joined, charactersMax);
}

function shortened(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  // Not through the middle of a sign of two.
  const cut = text.slice(0, charactersMax - 1).replace(/[\ud800-\udbff]$/, '');
  return `${cut.trimEnd()}…`;
}
