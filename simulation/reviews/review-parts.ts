import type { Consent } from '../../src/consent/consent.ts';
import type { Database } from '../../src/db/database.ts';
import type { Outbox } from '../../src/outbox/outbox.ts';
import type { OutboxQueries } from '../../src/outbox/queries.ts';
import { type CodeReviews, createCodeReviews } from '../../src/sources/code-reviews/code-reviews.ts';
import type { Draft, Source } from '../../src/sources/source.ts';
import { silentLog as log } from '../../src/std/log.ts';
import type { Faults } from '../faults.ts';
import { BookkeepingFailed } from '../sources.ts';
import { uuidBy, type World } from '../world.ts';

/** Code reviews as one process has them, put together as the front door of the source does it. */
export interface ReviewParts {
  codeReviews: CodeReviews;
  sources: readonly Source[];
  turns: Readonly<Record<ReviewTurn, () => Promise<unknown>>>;
}

export type ReviewTurn = 'replays';

interface Parts {
  world: World;
  db: Database;
  faults: Pick<Faults, 'clock'>;
  outbox: Outbox;
  queries: OutboxQueries;
  consent: Consent;
  stopping: AbortController;
}

export function createReviewParts(parts: Parts): ReviewParts {
  const { world, db, faults, outbox, queries, consent, stopping } = parts;
  const codeReviews = createCodeReviews({
    ...{ db, outbox, queries, log, clock: faults.clock, against: consent.against },
    ids: { uuid: () => uuidBy(world.chance) },
    onSubmitted: () => {},
  });
  return {
    codeReviews,
    sources: [watched(codeReviews.source, world)],
    turns: {
      async replays() {
        for (const chore of codeReviews.chores) await chore.once(stopping.signal);
      },
    },
  };
}

/** The real source, with its own misfortunes; what it says of deliveries is overheard. */
function watched(source: Source, { chance, isTroubled, mayStrike, watch, told }: World): Source {
  const isStruck = (probability: number) => isTroubled() && chance.isTrue(probability);
  return {
    ...source,
    async draft(deliveries) {
      if (isStruck(0.02) && mayStrike('a draft fails')) throw new Error('the source does not answer');
      const drafts = await source.draft(deliveries);
      for (const { seq, id } of deliveries) {
        if (drafts.get(seq)?.kind === 'unsendable') watch.said(id, 'unsendable');
      }
      return new Map([...drafts].map(([seq, draft]) => [seq, inPlainWords(draft)]));
    },
    async changed(facts, tx) {
      if (isStruck(0.05) && mayStrike('bookkeeping fails')) throw new BookkeepingFailed();
      await source.changed?.(facts, tx);
      told(facts);
    },
  };
}

/** What would be read, without the looks: to render costs more than all the rest of a run. */
function inPlainWords(draft: Draft): Draft {
  if (draft.kind !== 'draft') return draft;
  const { template, locale, props } = draft;
  const text = JSON.stringify({ template, locale, props });
  return { ...draft, template: 'plain', props: { subject: 'A review is ready', text } };
}
