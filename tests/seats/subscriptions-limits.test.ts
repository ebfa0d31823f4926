import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTokens } from '../../src/consent/token.ts';
import { tokenSecret } from '../support/consent.ts';
import { onBothDatabases } from '../support/world.ts';
import { index } from './seats-world.ts';
import { createWatchWorld, hourMs, type WatchWorld } from './watch-world.ts';

onBothDatabases('how much may be watched, and how often an owner is asked', (dialect) => {
  let world: WatchWorld;
  beforeEach(async () => {
    world = await createWatchWorld(dialect);
  });
  afterEach(() => world.close());

  const create = (more?: Parameters<WatchWorld['order']>[0]) => world.subscriptions.create(world.order(more));
  const rows = () =>
    world.db.read.selectFrom('subscriptions').selectAll().orderBy('subscription_id').execute();

  describe('mails that ask an owner', () => {
    const more = (number: number) => ({ indexNumber: `2000${number}` });
    beforeEach(async () => {
      for (const number of [1, 2, 3, 4, 5, 6, 7, 8]) await world.addSection(`2000${number}`);
    });

    test('while one is on its way nobody gets a second, and its link confirms all that waits', async () => {
      const first = await world.watch(more(1));
      const second = await world.watch(more(2));
      expect(await world.mails()).toHaveLength(1);
      await world.subscriptions.confirm(first.token);
      expect((await world.subscriptions.find(second.token))?.status).toBe('active');
      expect(await world.eventsOf(second.subscriptionId)).toEqual(['created Open', 'verified Open']);
      // Nothing is on its way any more.
      const third = await world.watch(more(3));
      expect(third.status).toBe('pending');
      expect(await world.mails()).toHaveLength(2);
    });

    test('asked for again after ten minutes, the mail goes again', async () => {
      const { subscriptionId } = await world.watch();
      await world.clock.advance(599_999);
      expect(await world.watch()).toMatchObject({ kind: 'existing' });
      expect(await world.mails()).toHaveLength(1);
      await world.clock.advance(1);
      expect(await world.watch()).toMatchObject({ kind: 'existing', status: 'pending' });
      expect((await world.mails()).map((mail) => mail.split(' ')[1])).toEqual([
        `${subscriptionId}-1`,
        `${subscriptionId}-2`,
      ]);
      expect((await world.eventsOf(subscriptionId)).filter((one) => /^verification/.test(one))).toHaveLength(
        2,
      );
    });

    test('somebody who is confirmed is not asked again', async () => {
      await world.confirmed();
      await world.clock.advance(hourMs);
      expect(await world.watch()).toMatchObject({ kind: 'existing', status: 'active' });
      expect(await world.mails()).toHaveLength(1);
    });

    test('six a day to one address, whatever became of the watches', async () => {
      for (const number of [1, 2, 3, 4, 5, 6]) {
        const { token } = await world.watch(more(number));
        await world.subscriptions.cancel(token);
        await world.clock.advance(hourMs);
      }
      expect(await create(more(7))).toMatchObject({
        ...{ kind: 'rate_limited', limit: 'contact', retryAfterMs: 18 * hourMs },
      });
      expect(await create({ ...more(7), email: 'bob@example.org' })).toMatchObject({ kind: 'created' });
      await world.clock.advance(18 * hourMs);
      expect(await create(more(7))).toMatchObject({ kind: 'created' });
    });

    test('who answers each of them may go on', async () => {
      for (const number of [1, 2, 3, 4, 5, 6, 7, 8]) {
        await world.confirmed(more(number));
        await world.clock.advance(20 * 60_000);
      }
      expect((await rows()).map(({ status }) => status)).toEqual(Array(8).fill('active'));
      expect(await world.mails()).toHaveLength(8);
    });

    test('one watch that waits does not make more of them either', async () => {
      await world.watch(more(1));
      for (let hour = 0; hour < 12; hour++) {
        await world.clock.advance(hourMs);
        expect(await world.watch(more(1))).toMatchObject({ kind: 'existing' });
      }
      expect(await world.mails()).toHaveLength(6);
      // Its link is somewhere in those six.
      expect(await world.watch(more(2))).toMatchObject({ kind: 'created' });
      expect(await world.mails()).toHaveLength(6);
    });
  });

  describe('who asks without a key, for an address that may be anybody’s', () => {
    const section = (number: number) => String(40_000 + number);
    const ask = (number: number, caller = 'a network') => create({ indexNumber: section(number), caller });
    beforeEach(async () => {
      for (let number = 0; number < 13; number++) await world.addSection(section(number));
    });

    test('can have ten wait for an answer, which take nothing from what the owner has', async () => {
      for (let number = 0; number < 10; number++)
        expect(await ask(number)).toMatchObject({ kind: 'created' });
      expect(await ask(10)).toMatchObject({ kind: 'rate_limited', limit: 'contact' });
      expect(await ask(3)).toMatchObject({ kind: 'existing' });
      expect(await create({ indexNumber: section(11) })).toMatchObject({ kind: 'created' });
      const [first] = await rows();
      await world.subscriptions.confirm(createTokens([tokenSecret], 'seats').of(first?.token_id ?? ''));
      expect(await ask(12)).toMatchObject({ kind: 'created' });
      expect(await rows()).toHaveLength(12);
    });

    test('where there is no more room, the owner gets the link to what takes it', async () => {
      for (let number = 0; number < 10; number++) await ask(number);
      expect(await world.mails()).toHaveLength(1);
      await world.clock.advance(hourMs);
      expect(await ask(10)).toMatchObject({ kind: 'rate_limited' });
      const [first] = await rows();
      expect((await world.mails()).at(-1)).toBe(
        `course-seats-verification ${first?.subscription_id}-2 pending`,
      );
    });

    test('hears of a crowd in the same words whether the address is in it or not', async () => {
      const { create: crowded } = world.subscriptionsWith({ limits: { sectionWatchesMax: 1 } });
      await crowded(world.order());
      const [theirs, others] = [
        await crowded(world.order({ caller: 'a network' })),
        await crowded(world.order({ caller: 'a network', email: 'bob@example.org' })),
      ];
      expect(theirs).toMatchObject({ kind: 'rate_limited', limit: 'section' });
      expect(theirs).toEqual(others);
    });

    test('for what is watched already, the owner is mailed the link to it, three times a day at most', async () => {
      const { subscriptionId } = await world.confirmed();
      for (let hour = 0; hour < 6; hour++) {
        await world.clock.advance(hourMs);
        expect(await create({ caller: 'a network' })).toMatchObject({ kind: 'existing', status: 'active' });
        expect(await create({ caller: 'a network' })).toMatchObject({ kind: 'existing', status: 'active' });
      }
      expect(await world.mails()).toHaveLength(4);
      expect((await world.eventsOf(subscriptionId)).at(-1)).toBe('link_sent Open');
      // Enough are left for something new.
      expect(await ask(1)).toMatchObject({ kind: 'created' });
      expect(await world.mails()).toHaveLength(5);
    });

    test('also where it is paused; a service has the link in its answer', async () => {
      const { token } = await world.confirmed();
      await world.subscriptions.pause(token);
      expect(await create()).toMatchObject({ kind: 'existing', token });
      expect(await world.mails()).toHaveLength(1);
      await create({ caller: 'a network' });
      expect(await world.mails()).toHaveLength(2);
      expect((await world.subscriptions.find(token))?.status).toBe('paused');
    });
  });

  describe('limits', () => {
    beforeEach(async () => {
      for (const number of [1, 2, 3, 4]) await world.addSection(`2000${number}`);
    });
    const limited = (limits: NonNullable<Parameters<WatchWorld['subscriptionsWith']>[0]['limits']>) => {
      const { create } = world.subscriptionsWith({ limits });
      return (more: Parameters<WatchWorld['order']>[0]) => create(world.order(more));
    };

    test('of one address; one that ended makes room', async () => {
      const make = limited({ contactWatchesMax: 2 });
      const first = await make({ indexNumber: '20001' });
      expect(await make({ indexNumber: '20002' })).toMatchObject({ kind: 'created' });
      expect(await make({ indexNumber: '20003' })).toMatchObject({
        ...{ kind: 'rate_limited', limit: 'contact', retryAfterMs: null },
      });
      expect(await make({ indexNumber: '20002' })).toMatchObject({ kind: 'existing' });
      expect(await make({ indexNumber: '20003', email: 'bob@example.org' })).toMatchObject({
        kind: 'created',
      });
      await world.subscriptions.cancel('token' in first ? first.token : '');
      expect(await make({ indexNumber: '20003' })).toMatchObject({ kind: 'created' });
    });

    test('of one section', async () => {
      const make = limited({ sectionWatchesMax: 1 });
      await make({});
      expect(await make({ email: 'bob@example.org' })).toMatchObject({
        ...{ kind: 'rate_limited', limit: 'section', retryAfterMs: null },
      });
      expect(await make({})).toMatchObject({ kind: 'existing' });
    });

    test('of one caller in an hour; a service that is trusted has none', async () => {
      const make = limited({ callerOrdersPerHour: 2 });
      const asking = (indexNumber: string, caller: string | null) => make({ indexNumber, caller });
      expect(await asking('20001', 'a')).toMatchObject({ kind: 'created' });
      expect(await asking('20001', 'a')).toMatchObject({ kind: 'existing' });
      expect(await asking('20002', 'a')).toMatchObject({
        ...{ kind: 'rate_limited', limit: 'caller', retryAfterMs: hourMs / 2 },
      });
      expect(await asking('20002', 'b')).toMatchObject({ kind: 'created' });
      expect(await asking('20003', null)).toMatchObject({ kind: 'created' });
      await world.clock.advance(hourMs / 2);
      expect(await asking('20004', 'a')).toMatchObject({ kind: 'created' });
    });
  });

  describe('a whole course', () => {
    const watchCourse = (more: object = {}, by = world.subscriptions) => {
      const { indexNumber: _, ...order } = world.order();
      return by.createForCourse({ ...order, courseId: world.courseId, ...more });
    };
    beforeEach(async () => {
      await world.addSection('30002', { section_number: '07' });
      await world.addSection('30001', { section_number: '06' });
      await world.addSection('30003', { section_number: '08', gone_at: world.clock.now() });
    });

    test('a watch for each section that there is, one mail for all', async () => {
      const made = await watchCourse();
      expect(made).toMatchObject({ kind: 'created', leftOut: 0 });
      const watched = await rows();
      expect(watched.map(({ index_number }) => index_number).sort()).toEqual([index, '30001', '30002']);
      expect(await world.mails()).toHaveLength(1);
      const [first] = made.kind === 'created' ? made.watches : [];
      await world.subscriptions.confirm(first?.token ?? '');
      expect((await rows()).map(({ status }) => status)).toEqual(['active', 'active', 'active']);
      expect(await world.subscriptions.siblings(first?.token ?? '')).toHaveLength(3);
    });

    test('those that are watched already stay as they are', async () => {
      await world.confirmed({ indexNumber: '30001' });
      const made = await watchCourse();
      expect(made.kind === 'created' && made.watches.map(({ kind }) => kind)).toEqual([
        ...['created', 'created', 'existing'],
      ]);
    });

    test('as many as the limit allows', async () => {
      const made = await watchCourse({}, world.subscriptionsWith({ limits: { contactWatchesMax: 2 } }));
      expect(made).toMatchObject({ kind: 'created', leftOut: 1 });
      expect((await rows()).map(({ index_number }) => index_number)).toEqual([index, '30001']);
    });

    test('one that is not there, is of another term, or at another campus is refused', async () => {
      expect(await watchCourse({ courseId: 4711 })).toMatchObject({ kind: 'section_not_found' });
      expect(await watchCourse({ termId: '92026' })).toMatchObject({ kind: 'section_not_found' });
      expect(await watchCourse({ campusCode: 'CM' })).toMatchObject({
        ...{ kind: 'section_conflict', campusCode: 'NB' },
      });
      expect(await rows()).toEqual([]);
    });
  });
});
