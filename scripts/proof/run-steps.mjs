import { root } from '../root.mjs';
import { createKept } from './kept.mjs';
import { changedBetween, lookAt, stampOf } from './source.mjs';

/**
 * One step after the other, all of them about the source as it was when the first began. A row is kept only if its step ran on that
 * source from its beginning to its end. `changed` names the files that were not left alone meanwhile: where there are any, the
 * rows are not about one source, and nobody may call them right. `onKept` hears of each step that `--go-on` would leave out.
 */
export async function runSteps(run) {
  const { names, order, isGoingOn, runStep, isInterrupted, onKept, from = root, kept } = run;
  const { forget, keep, rowOf } = kept ?? createKept();
  const beginnings = new Map(names.map((name) => [name, lookAt(name, from)]));
  const rows = [];
  const changed = new Set();
  if (!isGoingOn) forget(names);
  for (const [name, beginning] of beginnings) {
    if (isInterrupted()) break;
    const stamp = stampOf(beginning, order);
    const earlier = rowOf(name, stamp);
    console.error(`\n${name} …${earlier ? ' as before' : ''}`);
    if (earlier) {
      rows.push(earlier);
      onKept?.(name);
      continue;
    }
    const before = lookAt(name, from);
    const row = await runStep(name);
    rows.push(row);
    if (isInterrupted()) break;
    const after = lookAt(name, from);
    if (stampOf(after, order) === stamp && changedBetween(before, after).length === 0) {
      if (row.isRight) {
        keep(name, stamp, row);
        onKept?.(name);
      }
      continue;
    }
    console.error(`The source was changed since this run began: ${name} is not kept for --go-on.`);
    for (const path of changedBetween(beginning, after)) changed.add(path);
  }
  // What was changed and changed back while no step was running, none has run.
  for (const [name, beginning] of beginnings) {
    const end = lookAt(name, from);
    if (stampOf(end, order) === stampOf(beginning, order)) continue;
    for (const path of changedBetween(beginning, end)) changed.add(path);
  }
  return { rows, changed: [...changed].sort() };
}
