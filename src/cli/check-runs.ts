import type { RunStatus } from '../db/newsletters-schema.ts';
import type { Engine } from '../engine.ts';
import { type Finding, note, ok, problem } from './finding.ts';
import { periodName } from './period-name.ts';
import { printable } from './printable.ts';

/** A run that is not over. */
export interface RunCheckup {
  runId: string;
  notificationType: string;
  periodKey: string;
  status: RunStatus;
  because: string | null;
  done: number;
  total: number;
}

const runsMax = 20;

/** Runs that somebody has stopped, or that have stopped themselves, wait for a person: nothing else would say so. */
export async function runFindings({
  db,
  newsletters,
}: Pick<Engine, 'db' | 'newsletters'>): Promise<{ runs: RunCheckup[]; findings: Finding[] }> {
  const rows = await db.read
    .selectFrom('notification_runs')
    .selectAll()
    .where('status', 'in', ['running', 'paused', 'halted'])
    .orderBy('created_at', 'desc')
    .limit(runsMax)
    .execute();
  const runs: RunCheckup[] = [];
  for (const row of rows) {
    const { done, total } = await newsletters.runs.progress(row.run_id);
    runs.push({
      ...{ runId: row.run_id, notificationType: row.notification_type, periodKey: row.period_key },
      ...{ status: row.status, because: row.status_because, done, total },
    });
  }
  return { runs, findings: runs.map(findingOf) };
}

function findingOf({
  runId,
  notificationType,
  periodKey,
  status,
  because,
  done,
  total,
}: RunCheckup): Finding {
  const name = `The run of ${notificationType} for ${periodName(periodKey)}`;
  const why = because === null ? '' : ` (${printable(because)})`;
  const waiting = `${total - done} of ${total} wait`;
  const cure = `npx tidings runs resume ${runId} --reason "…" goes on, runs cancel ends it; runs show ${runId} tells more.`;
  if (status === 'halted')
    return problem(`${name} has halted itself${why}: ${waiting}.`, `Look at the bounces first. ${cure}`);
  if (status === 'paused') return note(`${name} is paused${why}: ${waiting}.`, cure);
  return ok(`${name} is at work: ${done} of ${total} are done.`);
}
