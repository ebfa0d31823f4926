import { useEffect, useState } from 'react';
import type { Killing as KillingNow } from '../../../src/samples/killing.ts';
import { ask, Refused } from '../api.ts';
import { useAsked } from '../use-asked.ts';
import { useWords } from '../words/words.ts';
import { Link } from './link.tsx';
import { Mark } from './mark.tsx';

/** As the API answers it. */
type Killing = Omit<KillingNow, 'at' | 'lookedIntoAt'> & { lookedIntoAt: string | null };

const verbs = ['seat', 'newsletter', 'review', 'kill'] as const;
type Verb = (typeof verbs)[number];

/** For whoever has configured nothing yet: something to do, and what comes of it. */
export function FirstMinute() {
  const { firstMinute: words } = useWords();
  const [busy, setBusy] = useState<Verb | null>(null);
  const [said, setSaid] = useState('');
  const [state, again] = useAsked<{ workerPid: number | null; killing: Killing | null }>('/api/v1/samples');
  useEffect(() => {
    const timer = setInterval(again, 1_000);
    return () => clearInterval(timer);
  }, [again]);
  const perform = async (verb: Verb) => {
    setBusy(verb);
    setSaid(verb === 'kill' ? words.killing : '');
    try {
      const answer = await ask<Answers>('POST', `/api/v1/samples/${verb}`);
      setSaid(verb === 'kill' ? '' : words.did[verb](answer));
    } catch (error) {
      setSaid(error instanceof Refused ? error.message : String(error));
    } finally {
      setBusy(null);
      again();
    }
  };
  return (
    <section className="first-minute" aria-labelledby="first-minute">
      <h2 id="first-minute">{words.title}</h2>
      <p className="muted">
        {words.lead} <Link to="/inbox">{words.inbox}</Link>
      </p>
      <div className="row">
        {verbs.map((verb) => (
          <button
            type="button"
            key={verb}
            className={verb === 'kill' ? '' : 'main'}
            disabled={busy !== null}
            onClick={() => void perform(verb)}
          >
            {words.buttons[verb]}
          </button>
        ))}
      </div>
      <p role="status">{said}</p>
      {state.value?.killing && <KillingAccount killing={state.value.killing} />}
    </section>
  );
}

/** What every verb may answer. */
interface Answers {
  indexNumber: string;
  title: string;
  periodKey: string;
  people: number;
  changelistId: string;
}

function KillingAccount({ killing }: { killing: Killing }) {
  const { firstMinute: words } = useWords();
  const { twice, lost, unheard, underWay, lookedIntoAt } = killing;
  const leftMs = lookedIntoAt === null ? 0 : Date.parse(lookedIntoAt) - Date.now();
  const isOver = underWay + unheard === 0;
  const meaning = twice > 0 || (lost ?? 0) > 0 ? 'needs a person' : isOver ? 'good' : 'in hand';
  return (
    <div className="account" data-killing={isOver ? 'settled' : 'waiting'}>
      <p>{words.killed(killing)}</p>
      <p>
        <Mark meaning={meaning}>
          <strong>
            {words.account(killing)}. {words.twice(twice, isOver)}
          </strong>
        </Mark>
      </p>
      <p className="muted">
        {isOver
          ? words.settled
          : words.waiting(words.open(underWay, unheard), Math.max(0, Math.ceil(leftMs / 1_000)))}
      </p>
    </div>
  );
}
