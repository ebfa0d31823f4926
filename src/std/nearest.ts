/** The choice that was probably meant: at most two slips of the keyboard away, else undefined. */
export function nearest(word: string, choices: readonly string[], slipsMax = 2): string | undefined {
  let best: string | undefined;
  let bestSlips = slipsMax + 1;
  for (const choice of choices) {
    // Each letter too many is a slip: most names of an environment are told apart by their length alone.
    if (Math.abs(word.length - choice.length) >= bestSlips) continue;
    const slips = slipsBetween(word.toUpperCase(), choice.toUpperCase());
    if (slips < bestSlips) [best, bestSlips] = [choice, slips];
  }
  return best;
}

/** Insertions, deletions, substitutions and swaps of neighbours. */
function slipsBetween(a: string, b: string): number {
  const rows: number[][] = Array.from({ length: a.length + 1 }, (_, i) => [i]);
  const at = (i: number, j: number) => rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let j = 0; j <= b.length; j++) (rows[0] as number[])[j] = j;
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      let slips = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        slips = Math.min(slips, at(i - 2, j - 2) + 1);
      (rows[i] as number[])[j] = slips;
    }
  }
  return at(a.length, b.length);
}
