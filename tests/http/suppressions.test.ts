import { beforeEach, expect, test } from 'vitest';
import type { ListOrder } from '../../src/consent/suppression-list.ts';
import { createSuppressions } from '../../src/consent/suppressions.ts';
import { requireAddress } from '../../src/domain/address.ts';
import type { Status } from '../../src/domain/status.ts';
import { silentLog } from '../../src/std/log.ts';
import { createDispatchWorld, signal } from '../support/dispatch-world.ts';
import { rowIn } from '../support/rows.ts';
import { intentNumber, onBothDatabases } from '../support/world.ts';
import { worldForAll } from '../support/world-for-each.ts';
import { keys } from './api-world.ts';
import { createSuppressionsWorld, entriesOf, path, person } from './suppressions-world.ts';

onBothDatabases('suppressions by the API', (dialect) => {
  const world = worldForAll(() => createSuppressionsWorld(dialect));
  let number = 0;
  beforeEach(() => world.clear());

  test('an address that is added stops what waits for it, whatever its case, and nothing else', async () => {
    const waiting: Status[] = ['pending', 'failed_transient', 'claimed'];
    const others: Status[] = ['sending', 'sent', 'delivered', 'reconciling', 'needs_review', 'expired'];
    const to = 'Ana.Q@Example.org';
    const seqs = new Map<Status, number>();
    for (const status of [...waiting, ...others]) seqs.set(status, await rowIn(world, status, ++number));
    const bystander = await rowIn(world, 'pending', ++number);
    await world.db.write
      .updateTable('deliveries')
      .set({ to_email: 'ana.Q@example.org' })
      .where('seq', 'in', [...seqs.values()])
      .execute();

    const { status, json } = await world.add([to], { by: 'bob' });
    expect([status, json]).toEqual([201, { added: 1, stopped: 3, alreadyListed: [] }]);
    for (const [before, seq] of seqs)
      expect([before, await world.statusOf(seq)]).toEqual([
        before,
        waiting.includes(before) ? 'suppressed' : before,
      ]);
    expect(await world.statusOf(bystander)).toBe('pending');
    const event = await world.db.read
      .selectFrom('delivery_events')
      .selectAll()
      .where('delivery_seq', '=', seqs.get('claimed') ?? 0)
      .where('event', '=', 'address_suppressed')
      .executeTakeFirstOrThrow();
    expect(event).toMatchObject({ actor: 'bob (operator key 1)' });
    expect((await world.list()).suppressions).toEqual([
      {
        ...{ seq: expect.any(Number), address: 'ana.q@example.org', scope: '*', reason: 'operator' },
        ...{ note: 'she asked', deliverySeq: null, by: 'bob (operator key 1)', at: expect.any(String) },
        ...{ liftedAt: null, liftedBy: null, liftedBecause: null, exceptFor: [] },
      },
    ]);
  });

  test('the list and what it stops are one transaction: where one fails, neither is', async () => {
    const seq = await rowIn(world, 'pending', ++number);
    const { suppressions } = world.parts.api.consent;
    const entry = { address: requireAddress(person(number)), reason: 'operator' } as const;
    await expect(
      world.db.transaction(async (tx) => {
        expect(await suppressions.add([entry], 'x', tx)).toMatchObject({ added: 1, stopped: 1 });
        throw new Error('the power went');
      }),
    ).rejects.toThrow('the power went');
    expect([await world.statusOf(seq), (await world.list()).suppressions]).toEqual(['pending', []]);
  });

  test('a scope of one source leaves the others alone', async () => {
    const to = person(++number);
    const mine = await rowIn(world, 'pending', number);
    const intent = intentNumber(number, { source: 'newsletters', occasion: 'june' });
    const [other] = await world.outbox.enqueue([intent]);
    expect((await world.add([to], { scope: 'plain' })).json).toMatchObject({ added: 1, stopped: 1 });
    expect(await world.statusOf(mine)).toBe('suppressed');
    expect(await world.statusOf(other?.seq ?? 0)).toBe('pending');
    expect((await world.add([to], { scope: 'plian' })).json).toMatchObject({
      code: 'unknown_source',
      error: expect.stringContaining('Did you mean plain?'),
    });
    // For everything is another line.
    expect((await world.add([to])).json).toMatchObject({ added: 1, stopped: 1 });
    expect(await world.statusOf(other?.seq ?? 0)).toBe('suppressed');
  });

  test('who is on the list keeps the first line, and is named', async () => {
    await world.add(['ana@example.org'], { because: 'first' });
    const { status, json } = await world.add(['ANA@example.org'], { because: 'second' });
    expect([status, json]).toEqual([200, { added: 0, stopped: 0, alreadyListed: ['ana@example.org'] }]);
    expect((await world.list()).suppressions).toMatchObject([{ note: 'first' }]);
    const twice = await world.add([
      'bob@example.org',
      'cleo@example.org',
      'Bob@example.org',
      'ana@example.org',
    ]);
    expect(twice.json).toEqual({ added: 2, stopped: 0, alreadyListed: ['ana@example.org'] });
    const entries = ['first', 'second'].map((note) => ({ address: 'dan@example.org', note }));
    const both = await world.api.ask('POST', `${path}/import`, { body: { entries } });
    expect(both.json).toMatchObject({ read: 2, added: 1, alreadyListed: 1 });
    expect((await world.list('?address=dan@example.org')).suppressions).toMatchObject([{ note: 'first' }]);
  });

  test('bad addresses are all named by their place, and nothing is added', async () => {
    const { status, json } = await world.add(['ana@example.org', 'nobody', 'a b@example.org']);
    expect([status, json.code, json.details.problems.map(({ field }: { field: string }) => field)]).toEqual([
      ...[400, 'invalid_address', ['addresses[1]', 'addresses[2]']],
    ]);
    expect(JSON.stringify(json)).not.toContain('nobody');
    expect((await world.add([])).status).toBe(400);
    expect((await world.add(['ana@example.org'], { because: '' })).status).toBe(400);
    expect((await world.list()).suppressions).toEqual([]);
  });

  test('lists by filter and by page, newest first', async () => {
    for (const each of [1, 2, 3]) await world.add([person(each)]);
    await world.add([person(4)], { scope: 'plain' });
    await world.api.ask('POST', `${path}/import`, {
      body: { entries: [{ address: person(5), reason: 'complained' }] },
    });
    const addressesIn = async (query: string) =>
      (await world.list(query)).suppressions.map(({ address }: { address: string }) => address);
    expect(await addressesIn('?limit=200')).toEqual([5, 4, 3, 2, 1].map(person));
    expect(await addressesIn('?scope=plain')).toEqual([person(4)]);
    expect(await addressesIn('?reason=complained')).toEqual([person(5)]);
    expect(await addressesIn('?address=PERSON-2@example.org')).toEqual([person(2)]);
    const first = await world.list('?limit=3');
    const second = await world.list(`?limit=3&below=${first.next.below}`);
    expect(second).toMatchObject({
      suppressions: [{ address: person(2) }, { address: person(1) }],
      next: null,
    });
    expect((await world.api.ask('GET', `${path}?address=nobody`)).status).toBe(400);
  });

  test('one that is taken off is kept as lifted, and can come on again', async () => {
    await world.add(['ana+news@example.org']);
    await world.add(['ana+news@example.org'], { scope: 'plain' });
    const one = `${path}/${encodeURIComponent('Ana+News@example.org')}`;
    const removed = await world.api.ask('DELETE', `${one}?because=the+mailbox+is+back&by=bob`);
    expect([removed.status, removed.json]).toEqual([
      200,
      { address: 'ana+news@example.org', scope: '*', isRemoved: true, stillListed: ['plain'] },
    ]);
    const again = await world.api.ask('DELETE', `${one}?because=again`);
    expect([again.status, again.json.code]).toEqual([404, 'not_suppressed']);
    expect((await world.api.ask('DELETE', one)).json.error).toBe('because is missing.');
    expect((await world.list('?scope=*')).suppressions).toEqual([]);
    expect((await world.list('?scope=*&withLifted=true')).suppressions).toMatchObject([
      {
        liftedAt: expect.any(String),
        liftedBy: 'bob (operator key 1)',
        liftedBecause: 'the mailbox is back',
      },
    ]);
    expect((await world.add(['ana+news@example.org'])).json.added).toBe(1);
    expect((await world.list('?scope=*&withLifted=true')).suppressions).toHaveLength(2);
  });

  test('a read key reads, and changes nothing', async () => {
    const key = keys.read[0];
    expect((await world.api.ask('GET', path, { key })).status).toBe(200);
    for (const [method, where, body] of [
      ['POST', path, { addresses: ['ana@example.org'], because: 'x' }],
      ['POST', `${path}/import`, { entries: [{ address: 'ana@example.org' }] }],
      ['DELETE', `${path}/ana@example.org?because=x`, undefined],
    ] as const)
      expect((await world.api.ask(method, where, { key, body })).json.code).toBe('role_required');
    expect((await world.api.ask('GET', path, { key: keys.service[0] })).json.code).toBe('role_required');
    expect((await world.list()).suppressions).toEqual([]);
  });

  test('what breaks is logged without the address that its message quotes, and an answer that was begun is cut', async () => {
    const { consent } = world.parts.api;
    let pages = 0;
    const quoting = async () => {
      throw new Error('duplicate key (ana@example.org, *) already exists');
    };
    const list = (order: ListOrder) => (++pages === 2 ? quoting() : consent.suppressions.list(order));
    const broken = { ...consent.suppressions, add: quoting, lift: quoting };
    const { ask } = await world.serve({
      api: { consent: { ...consent, suppressions: { ...broken, list } } },
    });
    await world.api.ask('POST', `${path}/import`, { body: { entries: entriesOf(600) } });
    world.logged.length = 0;
    const answers = [
      await ask('POST', path, { body: { addresses: ['ana@example.org'], because: 'x' } }),
      await ask('POST', `${path}/import`, { body: { entries: [{ address: 'ana@example.org' }] } }),
      await ask('DELETE', `${path}/ana@example.org?because=x`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([500, 500, 500]);
    expect(answers.map(({ text }) => text).join()).not.toContain('ana');
    await expect(ask('GET', `${path}/export`)).rejects.toThrow();
    const events = world.logged.map((line) => JSON.parse(line)).filter(({ error }) => error !== undefined);
    expect(events.map(({ event }) => event)).toEqual([
      ...['http.failed', 'http.failed', 'http.failed', 'suppressions.export_failed'],
    ]);
    expect(JSON.stringify(events)).toContain('duplicate key ([address], *)');
    expect(world.logged.join('')).not.toContain('ana@');
  });

  test('the log counts, and names nobody', async () => {
    world.logged.length = 0;
    await world.add(['ana@example.org']);
    await world.api.ask('DELETE', `${path}/ana@example.org?because=x`);
    await world.api.ask('POST', `${path}/import`, { body: { entries: entriesOf(3) } });
    const events = world.logged
      .map((line) => JSON.parse(line))
      .filter(({ event }) => /^suppressions/.test(event));
    expect(events).toMatchObject([
      { event: 'suppressions.added', asked: 1, added: 1, stopped: 0, key: 'operator key 1' },
      { event: 'suppressions.removed', scope: '*' },
      { event: 'suppressions.imported', read: 3, added: 3, bad: 0 },
    ]);
    // Closing the world fails if any line of any test holds an address.
  });
});

onBothDatabases('the list and the mail', (dialect) => {
  test('what is asked for after an address was added is not sent; after it was lifted, it is', async () => {
    const world = await createDispatchWorld(dialect);
    try {
      const suppressions = createSuppressions({ ...world, log: silentLog });
      const address = requireAddress(person(1));
      await suppressions.add([{ address, reason: 'operator' }], 'ana');
      const [first] = await world.enqueue(1);
      await world.dispatch().runOnce(signal());
      expect(await world.find(first)).toMatchObject({ status: 'suppressed' });
      expect(await suppressions.lift(address, '*', { by: 'ana', because: 'back' })).toBe(true);
      const [second] = await world.outbox.enqueue([intentNumber(1, { occasion: 'later' })]);
      await world.dispatch().runOnce(signal());
      expect(await world.find(first)).toMatchObject({ status: 'suppressed' });
      expect(await world.find(second?.seq)).toMatchObject({ status: 'sent' });
    } finally {
      await world.close();
    }
  });
});
