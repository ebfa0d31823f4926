import { useState } from 'react';
import { ask, queryOf, Refused } from '../api.ts';
import type { ChaosSwitch, Switches } from '../inbox.ts';
import { useAsked } from '../use-asked.ts';
import { useOften } from '../use-often.ts';
import { useLanguage, useWords } from '../words/words.ts';
import { reasonOf } from './reason-dialog.tsx';
import { Broken, Loading } from './shapes.tsx';

const path = '/api/v1/inbox/switches';
const everyMs = 2_000;
const minutesToChoose = [1, 10, 60] as const;

/** What the inbox does wrong on purpose. What is on is said also where the switches are folded away. */
export function Chaos({ mayChange }: { mayChange: boolean }) {
  const { chaos: words } = useWords();
  const [switches, again] = useAsked<Switches>(path);
  useOften(again, everyMs);
  const on = switches.state === 'there' ? switches.value.switches.filter(({ onUntil }) => onUntil) : [];
  return (
    <>
      {on.length > 0 && (
        <div className="notice" role="status">
          {on.map((one) => (
            <p key={one.name} style={{ margin: 0 }}>
              <span className="person" aria-hidden="true">
                ▲
              </span>{' '}
              <OnNow {...one} />
            </p>
          ))}
        </div>
      )}
      <details className="chaos">
        <summary>{words.title}</summary>
        <p>{words.lead}</p>
        {switches.state === 'waiting' && <Loading />}
        {switches.state === 'broken' && <Broken problem={switches.problem} again={again} />}
        {switches.state === 'there' && (
          <SwitchList all={switches.value} mayChange={mayChange} again={again} />
        )}
      </details>
    </>
  );
}

function OnNow({ name, onUntil, by }: Switches['switches'][number]) {
  const { chaos: words } = useWords();
  const language = useLanguage();
  const until = new Date(onUntil ?? '').toLocaleTimeString(language);
  return <>{words.onUntil(words.switches[name].does, until, by ?? '')}</>;
}

function SwitchList({ all, mayChange, again }: { all: Switches; mayChange: boolean; again(): void }) {
  const { chaos: words, verb } = useWords();
  const [minutes, setMinutes] = useState<number>(10);
  const [reason, setReason] = useState('');
  const [problem, setProblem] = useState('');
  const isChangeable = mayChange && all.isAllowed;
  const change = async (name: ChaosSwitch, isOn: boolean) => {
    setProblem('');
    try {
      if (isOn) await ask('DELETE', `${path}/${name}${queryOf(reasonOf(reason))}`);
      else await ask('POST', `${path}/${name}`, { minutes, ...reasonOf(reason) });
    } catch (error) {
      setProblem(error instanceof Refused ? error.message : String(error));
    }
    again();
  };
  return (
    <>
      {!all.isAllowed && <p className="notice">{words.production}</p>}
      {isChangeable && (
        <form className="bar" onSubmit={(event) => event.preventDefault()}>
          <label>
            {words.forHowLong}
            <select value={minutes} onChange={({ target }) => setMinutes(Number(target.value))}>
              {minutesToChoose.map((count) => (
                <option key={count} value={count}>
                  {words.minutes(count)}
                </option>
              ))}
            </select>
          </label>
          <label className="grow">
            {verb.reasonOptional}
            <input value={reason} onChange={({ target }) => setReason(target.value)} maxLength={500} />
          </label>
        </form>
      )}
      {problem !== '' && (
        <p className="notice" role="alert">
          {problem}
        </p>
      )}
      <ul className="switches">
        {all.switches.map(({ name, onUntil }) => (
          <li key={name}>
            <div className="row">
              <strong id={`switch-${name}`}>{words.switches[name].name}</strong>
              {isChangeable ? (
                <button
                  type="button"
                  role="switch"
                  aria-checked={onUntil !== null}
                  aria-labelledby={`switch-${name}`}
                  aria-describedby={`switch-${name}-what`}
                  className={onUntil === null ? '' : 'main'}
                  onClick={() => void change(name, onUntil !== null)}
                >
                  {onUntil === null ? words.off : words.on}
                </button>
              ) : (
                <span>{onUntil === null ? words.off : words.on}</span>
              )}
            </div>
            <p className="muted" id={`switch-${name}-what`}>
              {words.switches[name].what}
            </p>
          </li>
        ))}
      </ul>
    </>
  );
}
