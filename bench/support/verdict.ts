/** Says whether a figure is within its bound, and lets the program end with an error if one was not. */
export function verdict(figure: number, atMost: number, unit: string): string {
  const isWithin = figure <= atMost;
  if (!isWithin) process.exitCode = 1;
  return `${isWithin ? 'pass' : 'FAIL'} (at most ${atMost} ${unit})`;
}
