import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onBothDatabases } from '../support/world.ts';
import { type Break, failingDatabase } from './failing-database.ts';
import type { EventWords } from './signed.ts';
import { tongues } from './tongues.ts';
import { createWebhookWorld, type Known, type WebhookWorld } from './webhook-world.ts';

/** An event has its effect once: whatever breaks, and however often it is told. */
describe.each(tongues)('in the words of $provider', (tongue) => {
  onBothDatabases('once', (dialect) => {
    let world: WebhookWorld;
    beforeAll(async () => {
      world = await createWebhookWorld(dialect, tongue);
    });
    afterAll(() => world.close());

    let number = 0;
    async function onTheWire(): Promise<Known> {
      number += 1;
      return world.delivery('sending', number, { lockedBy: 'worker-1', lockedAt: 1, dueAt: 1 });
    }

    const bouncedForGood = ({ tags, id }: Known): EventWords => ({
      ...{ type: 'email.bounced', messageId: `m-${id}`, tags: tags() },
      data: { bounce: { type: 'Permanent', subType: 'General' } },
    });
    const delivered = ({ tags, id }: Known): EventWords => ({
      ...{ type: 'email.delivered', messageId: `m-${id}`, tags: tags() },
    });

    async function tracesOf({ seq, id }: Known) {
      // By the mail that they are about: not every provider names its events.
      const mails = [`m-${id}`, `late-${seq}`];
      const events = (await world.events()).filter((event) =>
        mails.includes(event.provider_message_id ?? ''),
      );
      const suppressions = await world.consent.suppressions.list({ limit: 1000 });
      const row = await world.queries.find(String(seq));
      return {
        events: events.map(({ outcome, processed_at, delivery_seq }) => ({
          ...{ outcome, isProcessed: processed_at !== null, isLinked: delivery_seq === seq },
        })),
        repeats: events[0]?.repeats,
        status: row?.status,
        attempts: row?.attempts,
        story: (await world.story(seq)).map(({ event, actor }) => `${event} by ${actor}`),
        suppressions: suppressions.filter(({ delivery_seq }) => delivery_seq === seq).length,
        booked: (await world.booked()).filter((fact) => fact.endsWith(` ${seq}`)),
      };
    }

    it.each([
      ['a bounce for good', bouncedForGood, 'suppressed', ['first_accepted', 'suppressed'], 1],
      ['a delivery', delivered, 'delivered', ['first_accepted'], 0],
    ])(
      '%s whose processing breaks off anywhere is processed once when it is told again',
      async (_name, wordsOf, status, facts, suppressions) => {
        const whole = failingDatabase(world.db, undefined);
        await world.tell(`counted_${status}`, wordsOf(await onTheWire()), world.webhooksOn(whole));
        expect(whole.statements).toBeGreaterThan(8);
        const breaks: Break[] = [{ at: 'before commit' }, { at: 'after commit' }];
        for (let statement = 1; statement <= whole.statements; statement++) {
          breaks.push({ at: 'before', statement }, { at: 'after', statement });
        }
        for (const where of breaks) {
          const delivery = await onTheWire();
          const eventId = `msg_${delivery.seq}`;
          const broken = world.webhooksOn(failingDatabase(world.db, where));
          await expect(world.tell(eventId, wordsOf(delivery), broken)).rejects.toThrow('died here');
          const isCommitted = where.at === 'after commit';
          expect(await tracesOf(delivery), JSON.stringify(where)).toMatchObject(
            isCommitted ? { status, repeats: 0 } : { status: 'sending', events: [], story: [], booked: [] },
          );

          expect(await world.tell(eventId, wordsOf(delivery))).toEqual({
            isRefused: false,
            isRepeat: isCommitted,
          });
          expect(await tracesOf(delivery), JSON.stringify(where)).toEqual({
            events: [{ outcome: 'applied', isProcessed: true, isLinked: true }],
            repeats: isCommitted ? 1 : 0,
            ...{ status, attempts: 1 },
            story: [expect.stringMatching(/ by webhook$/)],
            suppressions,
            booked: facts.map((fact) => `${fact} ${delivery.seq}`),
          });
        }
        expect(breaks.length).toBeGreaterThan(18);
      },
    );

    it.each([
      ['one after the other', false],
      ['at once', true],
    ])('the same event 46 times, %s, has one effect', async (_name, isAtOnce) => {
      const delivery = await onTheWire();
      const eventId = `msg_${delivery.seq}`;
      const answers = [];
      for (let time = 0; time < 46; time++) {
        const answer = world.tell(eventId, bouncedForGood(delivery));
        answers.push(answer);
        if (!isAtOnce) await answer;
      }
      const repeats = (await Promise.all(answers)).filter((answer) => !answer.isRefused && answer.isRepeat);
      expect(repeats).toHaveLength(45);
      expect(await tracesOf(delivery)).toEqual({
        events: [{ outcome: 'applied', isProcessed: true, isLinked: true }],
        repeats: 45,
        ...{ status: 'suppressed', attempts: 1, suppressions: 1 },
        story: ['bounced_for_good by webhook'],
        booked: [`first_accepted ${delivery.seq}`, `suppressed ${delivery.seq}`],
      });
    });

    it('an event that waits is linked once, by however many look at once', async () => {
      const delivery = await onTheWire();
      const eventId = `msg_${delivery.seq}`;
      const messageId = `late-${delivery.seq}`;
      await world.tell(eventId, { type: 'email.delivered', messageId });
      expect(await tracesOf(delivery)).toMatchObject({ status: 'sending', story: [] });
      await world.outbox.record([
        { seq: delivery.seq, event: 'accepted', round: 1, at: 1, messageId, actor: 'worker-1' },
      ]);
      await world.clock.advance(11_000);
      await Promise.all(Array.from({ length: 6 }, () => world.webhooksOn(world.db).linkWaiting()));
      expect(await tracesOf(delivery)).toMatchObject({
        events: [{ outcome: 'applied', isProcessed: true, isLinked: true }],
        status: 'delivered',
        story: ['accepted by worker-1', 'confirmed by webhook'],
      });
    });
  });
});
