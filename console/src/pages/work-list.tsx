import { useEffect, useState } from 'react';
import { ask, queryOf } from '../api.ts';
import type { DeliveryPage } from '../deliveries.ts';
import { DeliveryTable } from '../parts/delivery-table.tsx';
import { Heading } from '../parts/heading.tsx';
import { Link } from '../parts/link.tsx';
import { ReasonDialog } from '../parts/reason-dialog.tsx';
import { Broken, Empty, Loading } from '../parts/shapes.tsx';
import { usePlace } from '../place.ts';
import { useAsked } from '../use-asked.ts';
import { useWords } from '../words/words.ts';

/** What waits for a person: many at once, with one reason. */
const kinds = {
  'dead-letters': {
    status: 'failed_permanent',
    title: 'deadLetters',
    lead: 'deadLettersLead',
    empty: 'noDeadLetters',
    // Where the next ones would come from.
    next: 'seeTransient',
    before: 'failed_transient',
  },
  'needs-review': {
    status: 'needs_review',
    title: 'review',
    lead: 'reviewLead',
    empty: 'noReview',
    next: 'seeReconciling',
    before: 'reconciling',
  },
} as const;

interface Answered {
  deliveries: { reference: string; sentence: string; isRequeued?: boolean; isResolved?: boolean }[];
}

export function WorkListPage({ kind, mayChange }: { kind: keyof typeof kinds; mayChange: boolean }) {
  const { work, deliveries: list, delivery: words, verb } = useWords();
  const { status, title, lead, empty, next, before } = kinds[kind];
  const { query } = usePlace();
  const below = query.get('below') ?? '';
  const [page, again] = useAsked<DeliveryPage>(`/api/v1/deliveries${queryOf({ status, below })}`);
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const [asked, setAsked] = useState<{ title: string; what: string; path: string; as?: string }>();
  const [answered, setAnswered] = useState<Answered['deliveries']>();
  // Only what is seen is acted upon.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page begins with nothing chosen.
  useEffect(() => setChosen(new Set()), [below]);
  const seqs = page.state === 'there' ? page.value.deliveries.map(({ seq }) => seq) : [];
  const choice = {
    chosen,
    toggle: (seq: number) =>
      setChosen(
        (before) => new Set(before.has(seq) ? [...before].filter((one) => one !== seq) : [...before, seq]),
      ),
    all: () => setChosen((before) => new Set(seqs.every((seq) => before.has(seq)) ? [] : seqs)),
  };
  const perform = async (reason: string) => {
    const body = { references: [...chosen].map(String), reason, ...(asked?.as && { as: asked.as }) };
    const { deliveries } = await ask<Answered>('POST', `/api/v1/deliveries/${asked?.path}`, body);
    setAnswered(deliveries);
    setChosen(new Set());
    again();
  };
  const left = answered?.filter(({ isRequeued, isResolved }) => !isRequeued && !isResolved) ?? [];
  const buttons =
    kind === 'dead-letters'
      ? [
          {
            title: chosen.size === 0 ? words.requeue : work.again(chosen.size),
            what: words.requeueWhat,
            path: 'requeue',
          },
        ]
      : [
          { title: words.resolveSent, what: words.resolveSentWhat, path: 'resolve', as: 'sent' },
          { title: words.resolveNotSent, what: words.resolveNotSentWhat, path: 'resolve', as: 'not_sent' },
          { title: words.resolveClosed, what: words.resolveClosedWhat, path: 'resolve', as: 'closed' },
        ];
  return (
    <>
      <Heading>{work[title]}</Heading>
      {page.state === 'there' && page.value.deliveries.length > 0 && <p>{work[lead]}</p>}
      {answered && (
        <div role="status" className="notice">
          <p>{verb.done(answered.length - left.length)}</p>
          {left.length > 0 && <p>{verb.notDone(left.length)}</p>}
          <ul>
            {left.map(({ reference, sentence }) => (
              <li key={reference}>{sentence}</li>
            ))}
          </ul>
        </div>
      )}
      {page.state === 'waiting' && <Loading />}
      {page.state === 'broken' && <Broken problem={page.problem} again={again} />}
      {page.state === 'there' && page.value.deliveries.length === 0 && (
        <>
          <Empty>{work[empty]}</Empty>
          <p>
            <Link to={`/deliveries${queryOf({ status: before })}`}>{work[next]}</Link>
          </p>
        </>
      )}
      {page.state === 'there' && page.value.deliveries.length > 0 && (
        <>
          {mayChange && (
            <div className="row" style={{ margin: '16px 0' }}>
              <span className="muted">{work.chosen(chosen.size)}</span>
              {buttons.map((one) => (
                <button
                  type="button"
                  key={one.title}
                  disabled={chosen.size === 0}
                  onClick={() => setAsked(one)}
                >
                  {one.title}
                </button>
              ))}
            </div>
          )}
          <DeliveryTable deliveries={page.value.deliveries} {...(mayChange && { choice })} />
          {page.value.next && (
            <Link to={`/${kind}${queryOf({ below: page.value.next.below })}`}>{list.more}</Link>
          )}
        </>
      )}
      {asked && (
        <ReasonDialog
          title={asked.title}
          consequence={asked.what}
          button={asked.title}
          perform={perform}
          close={() => setAsked(undefined)}
        />
      )}
    </>
  );
}
