import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Webhooks } from '../../src/webhooks/webhook.ts';
import { onBothDatabases } from '../support/world.ts';
import { type Break, failingDatabase } from './failing-database.ts';
import type { EventWords } from './signed.ts';
import { createWebhookWorld, type Known, type WebhookWorld } from './webhook-world.ts';

interface Case {
  name: string;
  /** Up to what is to break off. */
  prepare(delivery: Known): Promise<void>;
  act(delivery: Known, webhooks: Webhooks): Promise<unknown>;
  /** How it ends, after it was done again; `isTwice` where the first time was committed, and nobody knew. */
  end(isTwice: boolean): object;
}

/** Processing that breaks off has done all or nothing: also where an event waits, comes again, is linked or contradicts. */
onBothDatabases('breaking off', (dialect) => {
  let world: WebhookWorld;
  beforeEach(async () => {
    world = await createWebhookWorld(dialect);
  });
  afterEach(() => world.close());

  let number = 0;
  const messageIdOf = ({ seq }: Known) => `mail-${seq}`;
  const eventIdOf = ({ seq }: Known) => `msg_${seq}`;
  const untagged = (delivery: Known): EventWords => ({
    ...{ type: 'email.bounced', messageId: messageIdOf(delivery) },
    data: { bounce: { type: 'Permanent', subType: 'General' } },
  });
  const tell = (delivery: Known, words: EventWords, webhooks?: Webhooks) =>
    world.tell(eventIdOf(delivery), words, webhooks);
  const accept = (delivery: Known) => {
    const report = { seq: delivery.seq, event: 'accepted', round: 1, at: 1, actor: 'w' } as const;
    return world.outbox.record([{ ...report, messageId: messageIdOf(delivery) }]);
  };

  const cases: Case[] = [
    {
      name: 'an event that has to wait',
      prepare: async () => {},
      act: (delivery, webhooks) => tell(delivery, untagged(delivery), webhooks),
      end: (isTwice) => ({
        outcome: null,
        repeats: isTwice ? 1 : 0,
        status: 'sending',
        story: [],
        listed: 0,
      }),
    },
    {
      name: 'an event that comes again',
      prepare: async (delivery) => {
        await accept(delivery);
        await tell(delivery, untagged(delivery));
      },
      act: (delivery, webhooks) => tell(delivery, untagged(delivery), webhooks),
      end: (isTwice) => ({
        ...{ outcome: 'applied', repeats: isTwice ? 2 : 1, status: 'suppressed', listed: 1 },
        story: ['accepted', 'bounced_for_good'],
      }),
    },
    {
      name: 'an event that is linked',
      prepare: async (delivery) => {
        await tell(delivery, untagged(delivery));
        await accept(delivery);
        await world.clock.advance(10_000);
      },
      act: (_delivery, webhooks) => webhooks.linkWaiting(),
      end: () => ({
        ...{ outcome: 'applied', repeats: 0, status: 'suppressed', listed: 1 },
        story: ['accepted', 'bounced_for_good'],
      }),
    },
    {
      name: 'an event that contradicts',
      prepare: async (delivery) => {
        await accept(delivery);
      },
      act: (delivery, webhooks) =>
        tell(delivery, { ...untagged(delivery), messageId: 'another', tags: delivery.tags() }, webhooks),
      end: (isTwice) => ({
        ...{ outcome: 'contradicts', repeats: isTwice ? 1 : 0, status: 'sent', listed: 0 },
        story: ['accepted', 'bounced_for_good'],
      }),
    },
  ];

  async function tracesOf(delivery: Known) {
    const event = (await world.events()).find((one) => one.provider_event_id === eventIdOf(delivery));
    const lines = await world.consent.suppressions.list({ limit: 1000 });
    const row = await world.queries.find(String(delivery.seq));
    return {
      ...{ outcome: event?.outcome, repeats: event?.repeats, status: row?.status },
      story: (await world.story(delivery.seq)).map((one) => one.event),
      listed: lines.filter(({ delivery_seq }) => delivery_seq === delivery.seq).length,
      booked: (await world.booked()).filter((fact) => fact.endsWith(` ${delivery.seq}`)),
    };
  }

  it.each(cases)(
    '$name, whose processing breaks off anywhere, has its effect once',
    async ({ prepare, act, end }) => {
      const ready = async () => {
        number += 1;
        const delivery = await world.delivery('sending', number, { lockedBy: 'w', lockedAt: 1, dueAt: 1 });
        await prepare(delivery);
        return delivery;
      };
      const whole = failingDatabase(world.db, undefined);
      await act(await ready(), world.webhooksOn(whole));
      const breaks: Break[] = [{ at: 'before commit' }, { at: 'after commit' }];
      for (let statement = 1; statement <= whole.statements; statement++) {
        breaks.push({ at: 'before', statement }, { at: 'after', statement });
      }
      expect(whole.statements).toBeGreaterThan(0);
      for (const where of breaks) {
        const delivery = await ready();
        const before = await tracesOf(delivery);
        await expect(act(delivery, world.webhooksOn(failingDatabase(world.db, where)))).rejects.toThrow(
          'died here',
        );
        const isCommitted = where.at === 'after commit';
        const after = await tracesOf(delivery);
        if (isCommitted) expect(after, JSON.stringify(where)).toMatchObject(end(false));
        else expect(after, JSON.stringify(where)).toEqual(before);
        await act(delivery, world.webhooks);
        const traces = await tracesOf(delivery);
        expect(traces, JSON.stringify(where)).toMatchObject(end(isCommitted));
        expect(new Set(traces.booked).size).toBe(traces.booked.length);
      }
    },
  );
});
