import type { DialectName } from '../../src/db/dialect.ts';
import { createResendOutboxWorld, type ResendOutboxWorld } from '../support/resend-outbox-world.ts';
import { intentNumber } from '../support/world.ts';

/** A Resend behind a real socket, and a reviewer who is told of the versions of one change list. */
export interface ReviewOutboxWorld extends ResendOutboxWorld {
  /** Answers the row of that version. */
  enqueueReview(version?: number): Promise<number>;
  /** How often a mail was handed over, whatever came of it. */
  submissions(): number;
  storyOf(seq: number): Promise<Awaited<ReturnType<ResendOutboxWorld['queries']['story']>>['events']>;
}

export const hourMs = 3_600_000;
/** A change list at a version, told to a reviewer. */
const review = (version: number) =>
  intentNumber(1, { occasion: `CL-17 v${version}`, recipient: 'reviewer@example.org' });

export async function createReviewOutboxWorld(dialect: DialectName): Promise<ReviewOutboxWorld> {
  const world = await createResendOutboxWorld(dialect);
  return {
    ...world,
    async enqueueReview(version = 3) {
      const [made] = await world.outbox.enqueue([review(version)]);
      return made?.seq ?? 0;
    },
    submissions: () => world.fake.ledger.submissions().length,
    storyOf: async (seq) => (await world.queries.story(seq)).events,
  };
}
