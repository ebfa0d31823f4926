import { median } from './median.ts';

/** Beyond this, something else ran on the machine. */
const offMax = 0.15;

/**
 * Which rounds count, by what the control loop made of each: one is dropped only where that is more than 15 % off its median, and never
 * more than a third of them, the worst first. Nobody's own figures are looked at.
 */
export function keptRounds(control: readonly number[]): { kept: number[]; dropped: number[]; off: number } {
  const middle = median(control);
  const distance = (round: number) => Math.abs((control[round] ?? middle) / middle - 1);
  const rounds = control.map((_, round) => round);
  const off = rounds.filter((round) => distance(round) > offMax);
  const dropped = off.toSorted((a, b) => distance(b) - distance(a)).slice(0, Math.floor(control.length / 3));
  return { kept: rounds.filter((round) => !dropped.includes(round)), dropped, off: off.length };
}
