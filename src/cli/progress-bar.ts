const widthSigns = 20;

/** How much of something is done: `████████············  40 %`. What was guessed too low stays at the end. */
export function barOf(fraction: number): string {
  const done = Math.min(1, Math.max(0, fraction));
  const filled = Math.round(done * widthSigns);
  const percent = String(Math.floor(done * 100)).padStart(3);
  return `${'█'.repeat(filled)}${'·'.repeat(widthSigns - filled)} ${percent} %`;
}
