/** Lengths of time as people say them: one number, one unit. */
export function duration(ms: number): string {
  const [, unitMs, unit] = units.find(([belowMs]) => Math.abs(ms) < belowMs) ?? days;
  return `${Math.round(ms / unitMs)} ${unit}`;
}

export function ago(ms: number): string {
  return ms < secondMs ? 'just now' : `${duration(ms)} ago`;
}

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Up to one and a half of the next unit, which rounding would make "1" and tell a third less than is true. */
const units = [
  [secondMs, 1, 'ms'],
  [1.5 * minuteMs, secondMs, 's'],
  [1.5 * hourMs, minuteMs, 'min'],
  [1.5 * dayMs, hourMs, 'h'],
] as const;
const days = [Number.POSITIVE_INFINITY, dayMs, 'd'] as const;

const written: Readonly<Record<string, number>> = { s: secondMs, m: minuteMs, h: hourMs, d: dayMs };

/** `90s`, `30m`, `2h`, `1d`; undefined for what is none. */
export function parseDuration(text: string): number | undefined {
  const found = /^(\d{1,6})([smhd])$/.exec(text.trim());
  return found ? Number(found[1]) * (written[found[2] ?? ''] ?? 0) : undefined;
}
