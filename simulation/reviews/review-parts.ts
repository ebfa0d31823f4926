import type { Consent } from '../../src/consent/consent.ts';
import type { Database } from '../../src/db/database.ts';
import type { Outbox } from '../../src/outbox/outbox.ts';
import type { OutboxQueries } from '../../src/outbox/queries.ts';
import { type CodeReviews, createCodeReviews } from '../../src/sources/code-reviews/code-reviews.ts';
import type { Draft, Source } from '../../src/sources/source.ts';
import { silentLog as log } from '../../src/std/log.ts';
import type { Faults } from '../faults.ts';
import { overheardSource } from '../overheard-source.ts';
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
    sources: [overheardSource(plainlyWorded(codeReviews.source), world)],
    turns: {
      async replays() {
        for (const chore of codeReviews.chores) await chore.once(stopping.signal);
      },
    },
  };
}

/** What would be read, without the looks: to render costs more than all the rest of a run. */
function plainlyWorded(source: Source): Source {
  return {
    ...source,
    async draft(deliveries) {
      const drafts = await source.draft(deliveries);
      return new Map([...drafts].map(([seq, draft]) => [seq, inPlainWords(draft)]));
    },
  };
}

function inPlainWords(draft: Draft): Draft {
  if (draft.kind !== 'draft') return draft;
  const { template, locale, props } = draft;
  const text = JSON.stringify({ template, locale, props });
  return { ...draft, template: 'plain', props: { subject: 'A review is ready', text } };
}
