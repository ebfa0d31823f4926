import { useState } from 'react';
import { useAsked } from '../use-asked.ts';
import { useWords } from '../words/words.ts';
import { Broken, Loading } from './shapes.tsx';

export interface MailSummary {
  round: number;
  from: string | null;
  to: string | null;
  subject: string | null;
  text: string | null;
  headers: Record<string, string>;
}

type Part = 'html' | 'text' | 'headers';

/** A mail as it was frozen. Strangers had a hand in its html: it is shown in a frame that may do nothing at all. */
export function MailView({ mails, path }: { mails: readonly MailSummary[]; path: string }) {
  const { delivery: words } = useWords();
  const [round, setRound] = useState(mails.at(-1)?.round ?? 1);
  const [part, setPart] = useState<Part>('html');
  const mail = mails.find((one) => one.round === round);
  if (!mail) return null;
  return (
    <>
      {mails.length > 1 && (
        <select
          value={round}
          onChange={({ target }) => setRound(Number(target.value))}
          aria-label={words.mail}
        >
          {mails.map((one) => (
            <option key={one.round} value={one.round}>
              {words.round(one.round)}
            </option>
          ))}
        </select>
      )}
      <p>
        <strong>{mail.subject}</strong>
      </p>
      <p className="muted">
        {mail.from} → {mail.to}
      </p>
      <div className="row" role="tablist">
        {(['html', 'text', 'headers'] as const).map((name) => (
          <button
            type="button"
            role="tab"
            aria-selected={part === name}
            className={part === name ? 'main' : ''}
            key={name}
            onClick={() => setPart(name)}
          >
            {words[name]}
          </button>
        ))}
      </div>
      <div style={{ marginTop: 8 }}>
        {part === 'html' && <Html path={`${path}/mail/${round}`} title={mail.subject ?? ''} />}
        {part === 'text' && <pre>{mail.text}</pre>}
        {part === 'headers' && (
          <pre>
            {Object.entries(mail.headers)
              .map(([name, value]) => `${name}: ${value}`)
              .join('\n')}
          </pre>
        )}
      </div>
    </>
  );
}

function Html({ path, title }: { path: string; title: string }) {
  const [mail, again] = useAsked<{ html: string }>(path);
  if (mail.state === 'waiting') return <Loading />;
  if (mail.state === 'broken') return <Broken problem={mail.problem} again={again} />;
  return <MailFrame html={mail.value.html} title={title} />;
}

export function MailFrame({ html, title }: { html: string; title: string }) {
  // No script, no form, no navigation, no address of ours; and a policy of its own, because the frame would have the page's.
  const closed = `<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">${html}`;
  return <iframe className="mail" sandbox="" srcDoc={closed} title={title} />;
}
