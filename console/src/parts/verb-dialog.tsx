import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { Refused } from '../api.ts';
import { useWords } from '../words/words.ts';

/** A second thought before a verb: what follows from it first, then whatever else has to be said, then the button that says it. */
export interface VerbParts {
  title: string;
  consequence: string;
  button: string;
  children?: ReactNode;
  /** Something is missing yet. */
  isIncomplete?: boolean;
  perform(): Promise<void>;
  close(): void;
}

export function VerbDialog(parts: VerbParts) {
  const { title, consequence, button, children, isIncomplete = false, perform, close } = parts;
  const { verb } = useWords();
  const dialog = useRef<HTMLDialogElement>(null);
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);
  useEffect(() => dialog.current?.showModal(), []);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      await perform();
      close();
    } catch (error) {
      setProblem(error instanceof Refused ? error.message : String(error));
      setBusy(false);
    }
  };
  return (
    <dialog ref={dialog} onClose={close} aria-labelledby="dialog-title">
      <form onSubmit={submit}>
        <h2 id="dialog-title" style={{ marginTop: 0 }}>
          {title}
        </h2>
        <p>{consequence}</p>
        {children}
        {problem !== '' && (
          <p className="notice" role="alert">
            {problem}
          </p>
        )}
        <div className="row">
          <button type="submit" className="main" disabled={isBusy || isIncomplete}>
            {button}
          </button>
          <button type="button" onClick={close}>
            {verb.cancel}
          </button>
        </div>
      </form>
    </dialog>
  );
}
