import { useState } from 'react';
import { statuses } from '../../../src/domain/status.ts';
import { type InboxMail, type Links, unsubscribeAt } from '../inbox.ts';
import { Heading } from '../parts/heading.tsx';
import { Link } from '../parts/link.tsx';
import { LinkList } from '../parts/link-list.tsx';
import { MailFrame } from '../parts/mail-view.tsx';
import { NoSuch } from '../parts/no-such.tsx';
import { Broken, Chip, Loading, When } from '../parts/shapes.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { VerbDialog } from '../parts/verb-dialog.tsx';
import { go, usePlace } from '../place.ts';
import { useAsked } from '../use-asked.ts';
import { useOften } from '../use-often.ts';
import { useWords } from '../words/words.ts';

const parts = ['html', 'text', 'headers', 'links'] as const;
/** A mail does not change; how its delivery stands does, until it is over. */
const everyMs = 2_000;

/** One mail, in all its parts, and where its links lead. */
export function InboxMailPage({ id, mayChange }: { id: string; mayChange: boolean }) {
  const { inbox: words, delivery } = useWords();
  const { query } = usePlace();
  const [mail, again] = useAsked<InboxMail>(`/api/v1/inbox/${id}`);
  const [links, linksAgain] = useAsked<Links>(`/api/v1/inbox/${id}/links`);
  const status = mail.value?.delivery?.status;
  useOften(again, everyMs, status !== undefined && (status === 'sent' || !statuses[status].isFinal));
  const part = parts.find((one) => one === query.get('part')) ?? 'html';
  if (mail.state === 'waiting') return <Loading />;
  if (mail.state === 'broken')
    return (
      <NoSuch thing="mail" list={{ to: '/inbox', name: words.title }} problem={mail.problem} again={again} />
    );
  const { subject, from, to, receivedAt, html, text, headers, delivery: whose } = mail.value;
  const count = links.state === 'there' ? links.value.links.length : 0;
  const titles = {
    ...{ html: delivery.html, text: delivery.text, headers: delivery.headers, links: words.links(count) },
  };
  return (
    <>
      <p className="muted">
        <Link to="/inbox">{words.title}</Link>
      </p>
      <Heading className="broken-up">{subject || words.noSubject}</Heading>
      <p className="muted broken-up">
        {from} → {to} · <When at={receivedAt} />
      </p>
      {whose && (
        <p>
          <Chip status={whose.status} /> <Link to={`/deliveries/${whose.seq}`}>{words.story(whose.seq)}</Link>
        </p>
      )}
      {links.state === 'there' && links.value.oneClick && (
        <OneClick path={links.value.oneClick.path} mayChange={mayChange} />
      )}
      <Tabs
        label={delivery.mail}
        titles={parts.map((name) => [name, titles[name]])}
        chosen={part}
        choose={(name) => go(`/inbox/${id}?part=${name}`, { isInPlace: true })}
      >
        {part === 'html' && <MailFrame html={html} title={subject} />}
        {part === 'text' && <pre>{text}</pre>}
        {part === 'headers' && (
          <pre>
            {Object.entries(headers)
              .map(([name, value]) => `${name}: ${value}`)
              .join('\n')}
          </pre>
        )}
        {part === 'links' && links.state === 'waiting' && <Loading />}
        {part === 'links' && links.state === 'broken' && (
          <Broken problem={links.problem} again={linksAgain} />
        )}
        {part === 'links' && links.state === 'there' && <LinkList links={links.value.links} />}
      </Tabs>
    </>
  );
}

/** The button that mail programs make of two headers. Only our own server is asked: a mail may name any. */
function OneClick({ path, mayChange }: { path: string | null; mayChange: boolean }) {
  const { inbox: words } = useWords();
  const [isAsking, setAsking] = useState(false);
  const [status, setStatus] = useState<number>();
  if (path === null) return <p className="muted">{words.oneClickElsewhere}</p>;
  if (!mayChange) return null;
  return (
    <>
      <p className="row">
        <button type="button" onClick={() => setAsking(true)}>
          {words.oneClick}
        </button>
        <span role="status">
          {status !== undefined && (
            <>
              {status === 200 ? words.oneClickDone : words.oneClickRefused(status)}{' '}
              <a href={path} target="_blank" rel="noreferrer">
                {words.oneClickUndo}
              </a>
            </>
          )}
        </span>
      </p>
      {isAsking && (
        <VerbDialog
          title={words.oneClick}
          consequence={words.oneClickWhat}
          button={words.oneClick}
          perform={async () => setStatus(await unsubscribeAt(path))}
          close={() => setAsking(false)}
        />
      )}
    </>
  );
}
