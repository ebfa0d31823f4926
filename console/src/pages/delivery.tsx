import { useState } from 'react';
import { arrow } from '../../../src/domain/lifecycle.ts';
import { ask } from '../api.ts';
import { type Delivery, whyNoMail } from '../deliveries.ts';
import { Heading } from '../parts/heading.tsx';
import { type MailSummary, MailView } from '../parts/mail-view.tsx';
import { NoSuch } from '../parts/no-such.tsx';
import { ReasonDialog } from '../parts/reason-dialog.tsx';
import { Address, Chip, Loading, When } from '../parts/shapes.tsx';
import { useAsked } from '../use-asked.ts';
import { useWords } from '../words/words.ts';

interface Story {
  delivery: Delivery;
  now: { sentence: string; next: string; isDoubt: boolean };
  story: { at: string; event: string; sentence?: string; actor?: string; detail?: Record<string, unknown> }[];
  mails: MailSummary[];
}

/** Everything that is known of one delivery, in sentences, with the verbs that the table allows from where it is. */
export function DeliveryPage({ reference, mayChange }: { reference: string; mayChange: boolean }) {
  const { delivery: words, sources, nav } = useWords();
  const path = `/api/v1/deliveries/${encodeURIComponent(reference)}`;
  const [story, again] = useAsked<Story>(path);
  if (story.state === 'waiting') return <Loading />;
  if (story.state === 'broken')
    return (
      <NoSuch
        thing="delivery"
        list={{ to: '/deliveries', name: nav.deliveries }}
        problem={story.problem}
        again={again}
      />
    );
  const { delivery, now, story: events, mails } = story.value;
  return (
    <>
      <Heading title={delivery.to ?? delivery.recipient}>
        <Address text={delivery.to ?? delivery.recipient} />
      </Heading>
      <p className="muted">
        {sources.occasion(delivery.source, delivery.occasion)} · #{delivery.seq} ·{' '}
        <Copied text={delivery.id} />
      </p>
      <p>
        <Chip status={delivery.status} /> {now.sentence}
      </p>
      {now.next && (
        <p className="muted">
          {words.next}: {now.next}
        </p>
      )}
      {mayChange && <Verbs delivery={delivery} again={again} />}
      <div className="columns">
        <section>
          <h2>{words.story}</h2>
          <ol className="story">
            {events.map((event, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a story only grows, at its end.
              <li key={index}>
                <Waited from={events[index - 1]?.at} to={event.at} />
                <div>{event.sentence ?? event.event}</div>
                <div className="muted">
                  <When at={event.at} /> {event.actor && `· ${event.actor}`}
                </div>
                {event.detail && Object.keys(event.detail).length > 0 && (
                  <details>
                    <summary className="muted">{words.evidence}</summary>
                    <pre>{JSON.stringify(event.detail, null, 2)}</pre>
                  </details>
                )}
              </li>
            ))}
          </ol>
        </section>
        <section>
          <h2>{words.mail}</h2>
          {mails.length === 0 ? (
            <p className="muted">{words[whyNoMail(delivery)]}</p>
          ) : (
            <MailView mails={mails} path={path} />
          )}
        </section>
      </div>
    </>
  );
}

/** A gap that is long enough to be seen. */
function Waited({ from, to }: { from: string | undefined; to: string }) {
  const { delivery: words } = useWords();
  const seconds = from ? Math.round((Date.parse(to) - Date.parse(from)) / 1000) : 0;
  if (seconds < 2) return null;
  const text =
    seconds < 120
      ? `${seconds} s`
      : seconds < 7_200
        ? `${Math.round(seconds / 60)} min`
        : `${Math.round(seconds / 3_600)} h`;
  return <div className="waited">{words.waited(text)}</div>;
}

/** Shortened in the middle; a click copies the whole. */
function Copied({ text }: { text: string }) {
  const { delivery: words } = useWords();
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <button
      type="button"
      className="mono"
      style={{ minHeight: 28, padding: '0 4px' }}
      title={`${words.copy}: ${text}`}
      onClick={copy}
    >
      {text.slice(0, 8)}…{text.slice(-4)}
      {isCopied && ` ${words.copied}`}
    </button>
  );
}

/** A person's word where nobody else knows. */
const decisions = [
  ['sent', 'resolveSent', 'resolveSentWhat'],
  ['not_sent', 'resolveNotSent', 'resolveNotSentWhat'],
  ['closed', 'resolveClosed', 'resolveClosedWhat'],
] as const;

function Verbs({ delivery, again }: { delivery: Delivery; again: () => void }) {
  const { delivery: words } = useWords();
  const [asked, setAsked] = useState<{
    title: string;
    consequence: string;
    perform(reason: string): Promise<void>;
  }>();
  const order = (verb: string, more: object, title: string, consequence: string) => ({
    title,
    consequence,
    async perform(reason: string) {
      const body = { references: [String(delivery.seq)], reason, ...more };
      const { deliveries } = await ask<{
        deliveries: { sentence: string; isRequeued?: boolean; isResolved?: boolean }[];
      }>('POST', `/api/v1/deliveries/${verb}`, body);
      const [answer] = deliveries;
      if (answer && !answer.isRequeued && !answer.isResolved) throw new Error(answer.sentence);
      again();
    },
  });
  return (
    <div className="row">
      {arrow(delivery.status, 'requeued') && (
        <button
          type="button"
          onClick={() => setAsked(order('requeue', {}, words.requeue, words.requeueWhat))}
        >
          {words.requeue}
        </button>
      )}
      {arrow(delivery.status, 'resolved_not_sent') &&
        decisions.map(([as, title, what]) => (
          <button
            type="button"
            key={as}
            onClick={() => setAsked(order('resolve', { as }, words[title], words[what]))}
          >
            {words[title]}
          </button>
        ))}
      {asked && <ReasonDialog {...asked} button={asked.title} close={() => setAsked(undefined)} />}
    </div>
  );
}
