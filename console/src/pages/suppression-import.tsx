import { type ChangeEvent, useState } from 'react';
import { Refused, sendFile } from '../api.ts';
import { Heading } from '../parts/heading.tsx';
import { ImportOutcome } from '../parts/import-outcome.tsx';
import { Link } from '../parts/link.tsx';
import { ReasonDialog } from '../parts/reason-dialog.tsx';
import { Broken, Loading } from '../parts/shapes.tsx';
import { sizeOf } from '../size.ts';
import type { ImportedFile } from '../suppressions.ts';
import { useLanguage, useWords } from '../words/words.ts';
import '../lists.css';

const path = '/api/v1/suppressions/import';
/** As much as the server takes at once. */
const octetsMax = 4 * 1_048_576;

type Step =
  | { at: 'choosing' }
  | { at: 'too large'; file: File }
  | { at: 'reading'; file: File }
  | { at: 'broken'; file: File; problem: Refused }
  | { at: 'checked'; file: File; result: ImportedFile }
  | { at: 'done'; result: ImportedFile };

/** A file, what would come of it, and only then the same done. */
export function SuppressionImportPage() {
  const { import: words } = useWords();
  const language = useLanguage();
  const [step, setStep] = useState<Step>({ at: 'choosing' });
  const [isAsking, setAsking] = useState(false);

  const check = async (file: File) => {
    if (file.size > octetsMax) return setStep({ at: 'too large', file });
    setStep({ at: 'reading', file });
    try {
      setStep({ at: 'checked', file, result: await sendFile<ImportedFile>(`${path}/check`, file) });
    } catch (error) {
      const problem = error instanceof Refused ? error : new Refused(0, 'failed', String(error));
      setStep({ at: 'broken', file, problem });
    }
  };
  const choose = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const [file] = target.files ?? [];
    if (file) void check(file);
  };
  const perform = async (because: string) => {
    if (step.at !== 'checked') return;
    const query = new URLSearchParams({ because });
    setStep({ at: 'done', result: await sendFile<ImportedFile>(`${path}/file?${query}`, step.file) });
  };
  return (
    <>
      <Heading>{words.title}</Heading>
      <p>{words.lead}</p>
      <p className="muted">{words.columns}</p>
      <form className="bar" onSubmit={(event) => event.preventDefault()}>
        <label className="grow">
          {words.file}
          <input
            type="file"
            accept=".csv,.txt,.json,.jsonl,text/csv,text/plain"
            // The same file, mended meanwhile, can be chosen again.
            onClick={({ currentTarget }) => {
              currentTarget.value = '';
            }}
            onChange={choose}
          />
        </label>
      </form>
      {step.at === 'too large' && (
        <p className="notice" role="alert">
          {words.tooLarge(sizeOf(step.file.size, language))}
        </p>
      )}
      {step.at === 'reading' && <Loading />}
      {step.at === 'broken' && <Broken problem={step.problem} again={() => void check(step.file)} />}
      {(step.at === 'checked' || step.at === 'done') && (
        <section aria-live="polite">
          <ImportOutcome result={step.result} isDone={step.at === 'done'} />
        </section>
      )}
      <p className="row paging">
        {step.at === 'checked' && step.result.added > 0 && (
          <button type="button" className="main" onClick={() => setAsking(true)}>
            {words.button(step.result.added)}
          </button>
        )}
        <Link to="/suppressions">{words.back}</Link>
      </p>
      {isAsking && step.at === 'checked' && (
        <ReasonDialog
          title={words.button(step.result.added)}
          consequence={words.what(step.result.added, step.result.stopped)}
          button={words.button(step.result.added)}
          perform={perform}
          close={() => setAsking(false)}
        />
      )}
    </>
  );
}
