import type { Policy } from '../src/domain/policy.ts';
import { plainPolicy } from '../src/domain/policy.ts';
import type { Verdict } from '../src/outbox/begin.ts';
import type { Fact } from '../src/outbox/facts.ts';
import { reviewPolicy } from '../src/sources/code-reviews/mail/review-source.ts';
import { reviewSource } from '../src/sources/code-reviews/occasion.ts';
import { seatPolicy, seatSourceName } from '../src/sources/course-seats/mail/seat-source.ts';
import {
  verificationPolicy,
  verificationSourceName,
} from '../src/sources/course-seats/mail/verification-source.ts';
import { newsletterPolicy } from '../src/sources/newsletters/mail/newsletter-source.ts';
import { newsletterSource } from '../src/sources/newsletters/notification-type.ts';
import { plainSource } from '../src/sources/plain/plain.ts';
import type { Draft, Source } from '../src/sources/source.ts';
import type { Chance } from './chance.ts';
import { minuteMs, secondMs } from './chance.ts';
import type { Faults } from './faults.ts';
import type { World } from './world.ts';

/**
 * Three sources beside each other, each with its lane and its patience. What they write is never the same twice: only what
 * was frozen can be sent again. Some of their deliveries cannot be drafted, and some kill the worker that tries.
 */
export const sourceNames = ['seats', 'plain', 'letters'] as const;
/** In the runs of a campus there are these two instead, among citizens the third and among reviewers the last: they are the real ones. */
export type SourceName =
  | (typeof sourceNames)[number]
  | typeof seatSourceName
  | typeof verificationSourceName
  | typeof newsletterSource
  | typeof reviewSource;
export const laneOf = { seats: 'urgent', plain: 'normal', letters: 'bulk' } as const;

export class BookkeepingFailed extends Error {}

export function createPolicies(chance: Chance): Readonly<Record<SourceName, Policy>> {
  // Fewer tries than the plain source's, so that a short run reaches the last one.
  const tries = () => ({ attemptsMax: chance.between(2, 3), roundsMax: chance.between(1, 3) });
  return {
    seats: {
      ...{ ...plainPolicy, ...tries() },
      ...{ scheduleMs: { kind: 'list', delaysMs: [0, 2 * secondMs, 7 * secondMs] } },
      bounceDelayMs: 30 * minuteMs,
    },
    plain: { ...plainPolicy, ...tries() },
    letters: { ...plainPolicy, ...tries(), leaseMs: 60 * secondMs },
    [seatSourceName]: seatPolicy,
    [verificationSourceName]: verificationPolicy,
    [newsletterSource]: newsletterPolicy,
    [reviewSource]: reviewPolicy,
  };
}

/** As one process has them: its own death is in its hands. */
export function createSources(world: SourcesWorld, faults: Faults, told: (facts: readonly Fact[]) => void) {
  const { chance, isTroubled, mayStrike, policies, watch } = world;
  const isStruck = (probability: number) => isTroubled() && chance.isTrue(probability);
  return sourceNames.map(
    (name): Source => ({
      ...plainSource,
      ...{ name, policy: policies[name] },
      async draft(deliveries) {
        const poison = deliveries.find(({ variables }) => variables.isPoison === true);
        if (poison && world.mayStrike('a delivery kills its worker')) {
          faults.die(`of delivery #${poison.seq}`);
          return new Promise<never>(() => {});
        }
        if (isStruck(0.05) && mayStrike('a draft fails')) throw new Error('the catalogue does not answer');
        const drafts = new Map(await plainSource.draft(deliveries));
        for (const { seq, id, variables } of deliveries) {
          const draft = drafts.get(seq) as Draft;
          if (variables.isBroken === true) {
            watch.said(id, 'unsendable');
            drafts.set(seq, { kind: 'unsendable', error: { code: 'missing_variable' } });
          } else if (draft.kind === 'draft') {
            const text = `As of draft ${world.nextDraft()}`;
            drafts.set(seq, { ...draft, props: { subject: 'News', text } });
          }
        }
        return drafts;
      },
      async recheck(deliveries) {
        const verdicts = new Map<number, Verdict>();
        for (const { seq, id } of deliveries) {
          if (!isStruck(0.04) || !mayStrike('the source says no at the last moment')) continue;
          const event = chance.weighted({ deferred: 3, ineligible: 1, expired: 1 });
          const dueAt = faults.clock.now() + chance.between(secondMs, 20 * minuteMs);
          if (event !== 'deferred') watch.said(id, event);
          verdicts.set(seq, event === 'deferred' ? { event, dueAt } : { event });
        }
        return verdicts;
      },
      async changed(facts) {
        if (isStruck(0.1) && mayStrike('bookkeeping fails')) throw new BookkeepingFailed();
        told(facts);
      },
    }),
  );
}

export type SourcesWorld = Pick<
  World,
  'chance' | 'isTroubled' | 'mayStrike' | 'policies' | 'nextDraft' | 'watch'
>;
