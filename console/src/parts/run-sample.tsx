import { useState } from 'react';
import { useWords } from '../words/words.ts';
import { MailFrame } from './mail-view.tsx';

interface Sample {
  subject?: string;
  html?: string;
  text?: string;
  /** Why there is nothing to read. */
  problem?: { code?: string; message?: string };
}

/** What the first on a plan's list would read. */
export function RunSample({ sample }: { sample: Sample | null }) {
  const { runs } = useWords();
  const [part, setPart] = useState<'html' | 'text'>('html');
  return (
    <section>
      <h2>{runs.sample}</h2>
      {sample === null && <p className="muted">{runs.noSampleKept}</p>}
      {sample?.problem && (
        <p>
          {runs.noSample}: {sample.problem.message ?? sample.problem.code}
        </p>
      )}
      {sample?.html !== undefined && (
        <>
          <p className="muted">{runs.sampleLead}</p>
          <p>
            <strong>{sample.subject}</strong>
          </p>
          <div className="row" style={{ marginBottom: 8 }}>
            {(['html', 'text'] as const).map((one) => (
              <button
                type="button"
                key={one}
                aria-pressed={part === one}
                className={part === one ? 'main' : ''}
                onClick={() => setPart(one)}
              >
                {runs[one]}
              </button>
            ))}
          </div>
          {part === 'html' ? (
            <MailFrame html={sample.html} title={sample.subject ?? ''} />
          ) : (
            <pre>{sample.text}</pre>
          )}
        </>
      )}
    </section>
  );
}
