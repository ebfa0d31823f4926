/** How many rounds to measure: ROUNDS, as `npm run bench -- NAME --rounds 2` sets it, or so many. */
export function roundsWanted(usual: number): number {
  const said = process.env.ROUNDS ?? '';
  if (said === '') return usual;
  if (/^[1-9]\d{0,2}$/.test(said)) return Number(said);
  console.error(`ROUNDS is "${said}"; give a whole number from 1 on, such as ROUNDS=${usual}.`);
  process.exit(2);
}
