/** How many columns a text takes on a screen: what is written with two, such as 课, counts as two, and an accent that joins as none. */
export function widthOf(text: string): number {
  let width = 0;
  for (const sign of text) width += widthOfSign(sign);
  return width;
}

function widthOfSign(sign: string): 0 | 1 | 2 {
  if (sign < '\u0300') return 1;
  if (joining.test(sign)) return 0;
  return wide.test(sign) ? 2 : 1;
}

const joining = /\p{Mn}|\p{Me}|[\u200b-\u200d]/u;
/** Unicode's East Asian Wide and Fullwidth, by blocks, and what is a picture by itself. */
const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;

/** A text cut in the middle: both ends of an id or an address tell something. */
export function shortened(text: string, columnsMax: number): string {
  if (widthOf(text) <= columnsMax) return text;
  const kept = Math.max(0, columnsMax - 1);
  const head = Math.ceil(kept / 2);
  const signs = [...text];
  return `${beginning(signs, head)}…${beginning(signs.toReversed(), kept - head, true)}`;
}

function beginning(signs: readonly string[], columnsMax: number, isReversed = false): string {
  const kept: string[] = [];
  let width = 0;
  for (const sign of signs) {
    width += widthOfSign(sign);
    if (width > columnsMax) break;
    kept.push(sign);
  }
  return (isReversed ? kept.toReversed() : kept).join('');
}
