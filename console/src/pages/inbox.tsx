import { type FormEvent, useState } from 'react';
import { ask, queryOf } from '../api.ts';
import type { InboxPage as Page } from '../inbox.ts';
import { Chaos } from '../parts/chaos.tsx';
import { Heading } from '../parts/heading.tsx';
import { Link } from '../parts/link.tsx';
import { MailTable } from '../parts/mail-table.tsx';
import { ReasonDialog, reasonOf } from '../parts/reason-dialog.tsx';
import { Broken, Empty, Loading } from '../parts/shapes.tsx';
import { go, usePlace } from '../place.ts';
import { useAsked } from '../use-asked.ts';
import { useOften } from '../use-often.ts';
import { useWords } from '../words/words.ts';

const everyMs = 2_000;

/** Mail as it arrives, where no real provider takes it. */
export function InboxPage({ mayChange }: { mayChange: boolean }) {
  const { inbox: words, deliveries: list } = useWords();
  const { query } = usePlace();
  const [to = '', subject = '', below = ''] = ['to', 'subject', 'below'].map((name) => query.get(name) ?? '');
  const [page, again] = useAsked<Page>(`/api/v1/inbox${queryOf({ to, subject, below })}`);
  const isNotHere = page.state === 'broken' && page.problem.code === 'inbox_not_here';
  // Older pages stand still: what arrives is on the first.
  useOften(again, everyMs, below === '' && !isNotHere);
  const [isClearing, setClearing] = useState(false);
  const isFiltered = to !== '' || subject !== '';
  if (isNotHere)
    return (
      <>
        <Heading>{words.title}</Heading>
        <Empty>{words.notHere}</Empty>
        <p>
          <Link to="/deliveries">{words.deliveries}</Link>
        </p>
      </>
    );
  return (
    <>
      <Heading>{words.title}</Heading>
      <p>{words.lead}</p>
      <Chaos mayChange={mayChange} />
      <Search key={`${to} ${subject}`} to={to} subject={subject} />
      {page.state === 'waiting' && <Loading />}
      {page.state === 'broken' && <Broken problem={page.problem} again={again} />}
      {page.state === 'there' && (
        <>
          {page.value.mails.length > 0 && <MailTable mails={page.value.mails} />}
          {page.value.mails.length === 0 && (
            <Empty>{page.value.next ? list.scanned : isFiltered ? words.emptyFiltered : words.empty}</Empty>
          )}
          <p className="row" style={{ marginTop: 16 }}>
            {below !== '' && <Link to={`/inbox${queryOf({ to, subject })}`}>{list.newest}</Link>}
            {page.value.next && (
              <Link to={`/inbox${queryOf({ to, subject, below: page.value.next.below })}`}>{list.more}</Link>
            )}
            {mayChange && page.value.mails.length > 0 && !isFiltered && (
              <button type="button" onClick={() => setClearing(true)}>
                {words.clear}
              </button>
            )}
          </p>
        </>
      )}
      {isClearing && (
        <ReasonDialog
          isOptional
          title={words.clear}
          consequence={words.clearWhat}
          button={words.clear}
          perform={async (reason) => {
            await ask('POST', '/api/v1/inbox/clear', reasonOf(reason));
            go('/inbox');
            again();
          }}
          close={() => setClearing(false)}
        />
      )}
    </>
  );
}

function Search({ to, subject }: { to: string; subject: string }) {
  const { inbox: words, deliveries: list } = useWords();
  const [typed, setTyped] = useState({ to, subject });
  const search = (event: FormEvent) => {
    event.preventDefault();
    go(`/inbox${queryOf({ to: typed.to.trim(), subject: typed.subject.trim() })}`);
  };
  return (
    <form className="bar" onSubmit={search}>
      <label className="grow">
        {words.to}
        <input
          type="search"
          value={typed.to}
          onChange={({ target }) => setTyped({ ...typed, to: target.value })}
          maxLength={320}
        />
      </label>
      <label className="grow">
        {words.subject}
        <input
          type="search"
          value={typed.subject}
          onChange={({ target }) => setTyped({ ...typed, subject: target.value })}
          maxLength={200}
        />
      </label>
      <button type="submit" className="main">
        {list.find}
      </button>
    </form>
  );
}
