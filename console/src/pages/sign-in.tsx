import { type FormEvent, useState } from 'react';
import { ask, Refused } from '../api.ts';
import { Heading } from '../parts/heading.tsx';
import { useWords } from '../words/words.ts';

export function SignInPage({ done }: { done: () => void }) {
  const { signIn: words } = useWords();
  const [key, setKey] = useState('');
  const [problem, setProblem] = useState('');
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    try {
      await ask('POST', '/api/v1/session', { key });
      done();
    } catch (error) {
      setProblem(error instanceof Refused ? error.message : String(error));
    }
  };
  return (
    <main style={{ maxWidth: 480, margin: '10vh auto 0' }}>
      <Heading>{words.title}</Heading>
      <p>{words.lead}</p>
      <form onSubmit={submit} className="bar">
        <label className="grow">
          {words.key}
          <input
            type="password"
            autoComplete="current-password"
            value={key}
            onChange={({ target }) => setKey(target.value)}
            required
          />
        </label>
        <button type="submit" className="main">
          {words.button}
        </button>
      </form>
      {problem !== '' && (
        <p className="notice" role="alert">
          {problem}
        </p>
      )}
      <p className="muted">{words.help}</p>
    </main>
  );
}
