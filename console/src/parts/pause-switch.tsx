import { useState } from 'react';
import type { Standing } from '../../../src/http/live/standing.ts';
import { ask, queryOf } from '../api.ts';
import { useWords } from '../words/words.ts';
import { ReasonDialog } from './reason-dialog.tsx';
import { When } from './shapes.tsx';

/** What is stopped, by whom and why, and the switch for all mail; to stop and to go on both have a reason. */
export function PauseSwitch({ standing, mayChange }: { standing: Standing; mayChange: boolean }) {
  const { pause, home } = useWords();
  const [asked, setAsked] = useState<'pause' | { resumed: string }>();
  const all = standing.pauses.find(({ scope }) => scope === '*');
  const close = () => setAsked(undefined);
  return (
    <>
      {standing.pauses.map(({ scope, reason, by, at }) => (
        <p className="notice" key={scope}>
          <span className="stopped" aria-hidden="true">
            ■
          </span>{' '}
          {home.paused(scope === '*' ? home.everything : scope, reason, by)} (<When at={at} />){' '}
          {mayChange && scope !== '*' && (
            <button type="button" onClick={() => setAsked({ resumed: scope })}>
              {pause.resumeOne}
            </button>
          )}
        </p>
      ))}
      {mayChange && (
        <section className="all-mail" aria-labelledby="all-mail">
          <h2 id="all-mail">{all ? pause.paused : pause.title}</h2>
          {all ? (
            <button type="button" className="main" onClick={() => setAsked({ resumed: '*' })}>
              {pause.resume}
            </button>
          ) : (
            <button type="button" onClick={() => setAsked('pause')}>
              {pause.button}
            </button>
          )}
        </section>
      )}
      {asked === 'pause' && (
        <ReasonDialog
          title={pause.button}
          consequence={pause.what}
          button={pause.button}
          perform={async (reason) => void (await ask('POST', '/api/v1/pauses', { scope: '*', reason }))}
          close={close}
        />
      )}
      {asked !== undefined && asked !== 'pause' && (
        <ReasonDialog
          title={asked.resumed === '*' ? pause.resume : `${pause.resumeOne}: ${asked.resumed}`}
          consequence={pause.resumeWhat}
          button={asked.resumed === '*' ? pause.resume : pause.resumeOne}
          perform={(reason) =>
            ask('DELETE', `/api/v1/pauses/${encodeURIComponent(asked.resumed)}${queryOf({ reason })}`)
          }
          close={close}
        />
      )}
    </>
  );
}
