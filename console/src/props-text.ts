/** The values of a template as somebody types them. */
type PropsText =
  | { props: Record<string, unknown> }
  | { problem: 'no object' }
  | { problem: 'no JSON'; line: number; column: number };

export function readProps(text: string): PropsText {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? { props: value as Record<string, unknown> } : { problem: 'no object' };
  } catch {
    return { problem: 'no JSON', ...placeOfBreak(text) };
  }
}

/** Browsers name the place only of some mistakes; so it is found by how much of the text can still be the beginning of something. */
function placeOfBreak(text: string): { line: number; column: number } {
  let [fine, broken] = [0, text.length + 1];
  while (broken - fine > 1) {
    const middle = Math.floor((fine + broken) / 2);
    if (canGoOn(text.slice(0, middle))) fine = middle;
    else broken = middle;
  }
  const before = text.slice(0, fine).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function canGoOn(beginning: string): boolean {
  try {
    JSON.parse(beginning);
    return true;
  } catch (error) {
    const position = /at position (\d+)/.exec(String(error))?.[1];
    if (/end of|unterminated/i.test(String(error))) return true;
    return position !== undefined && Number(position) >= beginning.length;
  }
}
