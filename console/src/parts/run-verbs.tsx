import { useState } from 'react';
import type { RunDetails, RunStatus } from '../../../src/client/run-shapes.ts';
import { ask } from '../api.ts';
import { runsPath } from '../runs.ts';
import { useWords } from '../words/words.ts';
import { ReasonDialog } from './reason-dialog.tsx';

type Verb = 'pause' | 'resume' | 'cancel';

/** From which states each makes sense; what is finished can be stopped as long as mails of it wait. */
const verbsOf: Readonly<Partial<Record<RunStatus, readonly Verb[]>>> = {
  planned: ['cancel'],
  running: ['pause', 'cancel'],
  paused: ['resume', 'cancel'],
  halted: ['resume', 'cancel'],
  finished: ['pause', 'cancel'],
};

export function RunVerbs({ run, again }: { run: RunDetails; again: () => void }) {
  const { runs } = useWords();
  const [asked, setAsked] = useState<Verb>();
  const { done, total } = run.progress;
  const verbs = run.status === 'finished' && done >= total ? [] : (verbsOf[run.status] ?? []);
  const perform = async (reason: string) => {
    await ask('POST', `${runsPath}/${run.runId}/${asked}`, { reason });
    again();
  };
  if (verbs.length === 0 && !asked) return null;
  return (
    <div className="row" style={{ marginTop: 16 }}>
      {verbs.map((verb) => (
        <button
          type="button"
          key={verb}
          className={verb === 'resume' ? 'main' : ''}
          onClick={() => setAsked(verb)}
        >
          {runs[verb]}
        </button>
      ))}
      {asked && (
        <ReasonDialog
          title={runs[asked]}
          consequence={runs[`${asked}What`]}
          button={runs[asked]}
          perform={perform}
          close={() => setAsked(undefined)}
        />
      )}
    </div>
  );
}
