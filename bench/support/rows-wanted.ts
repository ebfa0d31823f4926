/** How many rows to measure with: ROWS, or so many. Anything else in ROWS ends the program with a sentence. */
export function rowsWanted({ usual, least }: { usual: number; least: number }): number {
  const said = process.env.ROWS ?? '';
  if (said === '') return usual;
  // Digits only: Number would also read ' ', '1e3' and '0x10'.
  if (/^\d{1,9}$/.test(said) && Number(said) >= least) return Number(said);
  console.error(`ROWS is "${said}"; give a whole number of at least ${least}, such as ROWS=${usual}.`);
  process.exit(2);
}
