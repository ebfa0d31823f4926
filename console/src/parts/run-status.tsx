import { runMeanings } from '../../../src/cli/state-meanings.ts';
import type { RunStatus } from '../../../src/client/run-shapes.ts';
import { useWords } from '../words/words.ts';
import { Mark } from './mark.tsx';

export function RunChip({ status }: { status: RunStatus }) {
  const { runs } = useWords();
  return (
    <span className="chip">
      <Mark meaning={runMeanings[status]}>{runs.statuses[status]}</Mark>
    </span>
  );
}
