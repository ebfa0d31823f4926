/** Prose is read in lines of a bearable length, even on a wide screen. */
const readableMax = 100;

/** How wide prose may be here; undefined, and no line is broken, where no screen shows it. */
export function proseWidth(columns: number | undefined): number | undefined {
  return columns === undefined ? undefined : Math.min(columns, readableMax);
}

/** A sentence in lines that fit, all after the first indented by `hanging`. What has no spaces is never cut. */
export function wrap(text: string, width: number | undefined, hanging: string): string[] {
  if (width === undefined) return [text];
  const lines: string[] = [];
  const start = /^ */.exec(text)?.[0] ?? '';
  let line = start;
  for (const word of text.trim().split(/ +/)) {
    const isFirst = line.trim() === '';
    const longer = isFirst ? `${line}${word}` : `${line} ${word}`;
    if (isFirst || [...longer].length <= width) line = longer;
    else {
      lines.push(line);
      line = `${hanging}${word}`;
    }
  }
  return [...lines, line];
}
