import type { RunRow } from '../db/newsletters-schema.ts';
import { meanings } from '../domain/meanings.ts';
import type { Status } from '../domain/status.ts';
import type { Engine } from '../engine.ts';
import type { RunProgress } from '../sources/newsletters/runs/progress.ts';
import { periodName } from './period-name.ts';
import { printable } from './printable.ts';
import { runMeanings, runStanding } from './state-meanings.ts';
import type { Paint, Terminal } from './terminal.ts';

/** A run and how far it is, for people. */

export function tellRun(run: RunRow, progress: RunProgress, paint: Paint): string[] {
  const { items, reasons, deliveries, done, total, canary } = progress;
  const standing = runStanding(run.status, run.eligible_count);
  const status = paint.meaning(runMeanings[standing], standing);
  const because = run.status_because === null ? '' : `: ${printable(run.status_because)}`;
  const lines = [
    `Run ${run.run_id}: ${run.notification_type}, ${periodName(run.period_key)}, ${status}${because}`,
    `  ${total} on its list; ${done} settled, ${items.planned} to be collected, ${items.collected} to be composed.`,
  ];
  const sent = Object.entries(deliveries).map(
    ([status, count]) => `${count} ${paint.meaning(meanings[status as Status], status)}`,
  );
  if (sent.length > 0) lines.push(`  Deliveries: ${sent.join(', ')}.`);
  const why = Object.entries(reasons).map(([reason, count]) => `${count} ${printable(reason)}`);
  if (why.length > 0) lines.push(`  Not told: ${why.join(', ')}.`);
  if (run.canary_size !== null) {
    const stand = run.canary_passed_at === null ? 'not passed yet' : 'passed';
    const met = canary
      ? `; ${canary.accepted} accepted, ${canary.open} under way, ${canary.bad} bounced or refused`
      : '';
    lines.push(`  Canary of ${run.canary_size}: ${stand}${met}.`);
  }
  return lines;
}

const lookEveryMs = 500;

/** Looks until everything of the run has come to its end, or somebody has to decide; a server somewhere does the work. */
export async function followRun(
  { newsletters: { runs }, clock }: Pick<Engine, 'newsletters' | 'clock'>,
  runId: string,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<{ run: RunRow; progress: RunProgress }> {
  for (;;) {
    const run = await runs.get(runId);
    const progress = await runs.progress(runId);
    const isOver = run.status !== 'running' && (run.status !== 'finished' || progress.done >= progress.total);
    if (isOver || signal.aborted) return { run, progress };
    const { done, total } = progress;
    const of = `${run.notification_type}, ${periodName(run.period_key)}`;
    terminal.progress(`${done} of ${total} of ${of} …`, total === 0 ? 1 : done / total);
    await clock.sleep(lookEveryMs, signal);
  }
}
