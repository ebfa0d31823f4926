/** So that a line has about as many points as a chart has room for. */
export const spans = {
  hour: { steps: 60, stepMinutes: 1 },
  day: { steps: 96, stepMinutes: 15 },
  week: { steps: 84, stepMinutes: 120 },
} as const;
export type HistorySpan = keyof typeof spans;
export const historySpans = Object.keys(spans) as HistorySpan[];
