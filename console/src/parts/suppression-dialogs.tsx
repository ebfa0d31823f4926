import { useState } from 'react';
import { everySource } from '../../../src/domain/suppression.ts';
import { ask, queryOf } from '../api.ts';
import type { Suppression } from '../suppressions.ts';
import { useWords } from '../words/words.ts';
import { ReasonDialog } from './reason-dialog.tsx';

/** The two verbs on the list, each with what follows from it before anybody confirms. */
interface DialogParts {
  /** What came of it, in a sentence. */
  done(sentence: string): void;
  close(): void;
}

export function AddSuppression({ sources, done, close }: DialogParts & { sources: readonly string[] }) {
  const { suppressions: words } = useWords();
  const [address, setAddress] = useState('');
  const [scope, setScope] = useState<string>(everySource);
  const perform = async (because: string) => {
    const body = { addresses: [address.trim()], scope, because };
    const { added, stopped } = await ask<{ added: number; stopped: number }>(
      'POST',
      '/api/v1/suppressions',
      body,
    );
    done(added > 0 ? words.added(address.trim(), stopped) : words.alreadyListed(address.trim()));
  };
  return (
    <ReasonDialog
      title={words.add}
      consequence={words.addWhat}
      button={words.addButton}
      perform={perform}
      close={close}
    >
      <label>
        {words.address}
        <input
          type="email"
          value={address}
          onChange={({ target }) => setAddress(target.value)}
          required
          maxLength={320}
        />
      </label>
      <label>
        {words.scope}
        <select value={scope} onChange={({ target }) => setScope(target.value)}>
          {[everySource, ...sources].map((name) => (
            <option key={name} value={name}>
              {name === everySource ? words.everything : name}
            </option>
          ))}
        </select>
      </label>
    </ReasonDialog>
  );
}

export function LiftSuppression({ line, done, close }: DialogParts & { line: Suppression }) {
  const { suppressions: words } = useWords();
  const { address, scope } = line;
  const isTheirOwn = line.reason === 'unsubscribed';
  const perform = async (because: string) => {
    const said = queryOf({ scope, because, theirOwn: String(isTheirOwn) });
    const { stillListed } = await ask<{ stillListed: string[] }>(
      'DELETE',
      `/api/v1/suppressions/${encodeURIComponent(address)}${said}`,
    );
    const still = stillListed.map((one) => (one === everySource ? words.everything : one));
    done(
      [words.liftDone(address), ...(still.length > 0 ? [words.stillListed(still.join(', '))] : [])].join(' '),
    );
  };
  return (
    <ReasonDialog
      title={words.liftTitle(address)}
      consequence={isTheirOwn ? words.liftOwnWhat : words.liftWhat}
      button={words.liftButton}
      perform={perform}
      close={close}
    />
  );
}
