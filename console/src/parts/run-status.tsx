import { runMeanings, runStanding } from '../../../src/cli/state-meanings.ts';
import type { RunStatus } from '../../../src/client/run-shapes.ts';
import { useWords } from '../words/words.ts';
import { Mark } from './mark.tsx';

/** How a run stands, with as many people on its list. */
export function RunChip({ status, people }: { status: RunStatus; people: number }) {
  const { runs } = useWords();
  const standing = runStanding(status, people);
  return (
    <span className="chip">
      <Mark meaning={runMeanings[standing]}>{runs.statuses[standing]}</Mark>
    </span>
  );
}
