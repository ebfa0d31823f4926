import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPauses } from '../../src/dispatch/pauses.ts';
import { metricsText } from '../../src/http/metrics.ts';
import { createOutboxMetrics } from '../../src/http/outbox-metrics.ts';
import { plainSource } from '../../src/sources/plain/plain.ts';
import { createFakeProvider } from '../support/fake-provider.ts';
import { rowIn } from '../support/rows.ts';
import { createWorld, intentNumber, onBothDatabases, type World } from '../support/world.ts';
import { createApiWorld } from './api-world.ts';

test('the text format: help, type, and labels that cannot break out', () => {
  const samples = [{ labels: { a: 'x"y\\z\n} 1', b: '' }, value: 1.5 }];
  expect(metricsText([{ name: 'n', type: 'gauge', help: 'Two\nlines.', samples }])).toBe(
    '# HELP tidings_n Two\\nlines.\n# TYPE tidings_n gauge\ntidings_n{a="x\\"y\\\\z\\n} 1",b=""} 1.5\n',
  );
});

onBothDatabases('what the outbox tells', (dialect) => {
  let world: World;
  let read: () => Promise<string>;
  beforeEach(async () => {
    world = await createWorld(dialect);
    const { db, clock, queries } = world;
    const parts = { db, clock, queries, sources: [plainSource], pauses: createPauses(db, clock) };
    const metrics = createOutboxMetrics({ ...parts, provider: createFakeProvider() });
    read = async () => metricsText(await metrics());
  });
  afterEach(() => world.close());

  test('how many are where, how many wait in which lane, and how late the oldest is', async () => {
    await rowIn(world, 'sent', 1);
    await world.outbox.enqueue([intentNumber(2, { lane: 'urgent' }), intentNumber(3, { lane: 'urgent' })]);
    await world.outbox.enqueue([intentNumber(4, { lane: 'bulk', dueAt: world.clock.now() + 9_000 })]);
    await world.clock.advance(5_000);
    const text = await read();
    for (const line of [
      'tidings_deliveries{source="plain",status="sent"} 1',
      'tidings_deliveries{source="plain",status="pending"} 3',
      'tidings_deliveries_waiting{source="plain",lane="urgent"} 2',
      'tidings_deliveries_waiting{source="plain",lane="normal"} 0',
      'tidings_oldest_due_seconds{source="plain",lane="urgent"} 5',
      'tidings_oldest_due_seconds{source="plain",lane="bulk"} 0',
    ])
      expect(text.split('\n')).toContain(line);
  });

  test('what happened since, each of it once, when it has settled', async () => {
    await rowIn(world, 'failed_permanent', 1);
    const seq = await rowIn(world, 'sending', 2);
    const first = (await read()).split('\n');
    expect(first).toContain('tidings_events_total{event="accepted"} 0');
    expect(first).toContain('tidings_attempts_total{event="accepted"} 0');
    expect(first).toContain('tidings_attempts_total{event="refused_for_now"} 0');
    expect(first).not.toContain('tidings_attempts_total{event="requeued"} 0');
    await world.db.write.updateTable('deliveries').set({ attempts: 3 }).where('seq', '=', 1).execute();
    await world.outbox.perform([1], { verb: 'requeued', reason: 'say "attempts":', operator: 'ana' });
    await world.outbox.record([
      {
        seq,
        event: 'accepted',
        round: 1,
        at: world.clock.now(),
        messageId: 'm',
        actor: 'worker-1',
      },
    ]);
    expect(await read()).not.toMatch(/^tidings_(events|attempts)_total.* [1-9]/m);
    await world.clock.advance(6_000);
    for (let times = 0; times < 2; times++) {
      const lines = (await read())
        .split('\n')
        .filter((line) => /^tidings_(events|attempts)_total.* [1-9]/.test(line));
      expect(lines).toEqual([
        'tidings_events_total{event="accepted"} 1',
        'tidings_events_total{event="requeued"} 1',
        'tidings_attempts_total{event="accepted"} 1',
      ]);
    }
  });

  test('what nobody knows, for how long, and what a person must decide', async () => {
    const now = world.clock.now();
    const lines = async () => (await read()).split('\n');
    expect(await lines()).toContain('tidings_needs_review{source="plain"} 0');
    await rowIn(world, 'reconciling', 1, { firstPossibleAcceptAt: now - 60_000 });
    await rowIn(world, 'reconciling', 2, { firstPossibleAcceptAt: now - 90_000 });
    await rowIn(world, 'sending', 3, { firstPossibleAcceptAt: now - 900_000 });
    await rowIn(world, 'needs_review', 4, { firstPossibleAcceptAt: now - 7_200_000 });
    for (const line of [
      'tidings_uncertain{source="plain"} 2',
      'tidings_uncertain_oldest_seconds{source="plain"} 90',
      'tidings_needs_review{source="plain"} 1',
      'tidings_needs_review_oldest_seconds{source="plain"} 7200',
    ])
      expect(await lines()).toContain(line);
  });

  test('by whose word doubts ended, and what was doubted', async () => {
    await read();
    const now = world.clock.now();
    const at = { round: 1, at: now };
    const held = { lease: 7, actor: 'worker-1' };
    const inDoubt = async (number: number) => rowIn(world, 'reconciling', number);
    const unproven = await rowIn(world, 'sent', 90, { evidence: 0, round: 0 });
    await world.outbox.record([
      {
        ...at,
        seq: await inDoubt(1),
        actor: 'r',
        event: 'accepted',
        messageId: 'a',
        detail: { evidence: 'same key' },
      },
      {
        ...at,
        seq: await inDoubt(2),
        actor: 'r',
        event: 'accepted',
        messageId: 'b',
        detail: { evidence: 'look-up' },
      },
      { ...held, seq: await inDoubt(3), event: 'not_at_provider', detail: { evidence: 'look-up' } },
      { ...at, seq: await inDoubt(4), actor: 'webhook', event: 'confirmed', messageId: 'c' },
      { ...at, seq: await inDoubt(5), actor: 'worker-1', event: 'accepted', messageId: 'd' },
      { ...held, seq: await inDoubt(6), event: 'undecidable' },
      { ...held, seq: await inDoubt(7), event: 'still_unknown' },
      { ...at, seq: await rowIn(world, 'sending', 8), actor: 'worker-1', event: 'accepted', messageId: 'e' },
      { seq: unproven, actor: 'sweep', event: 'doubted' },
    ]);
    const review = await rowIn(world, 'needs_review', 9);
    await world.outbox.perform([review], { verb: 'resolved_closed', reason: 'gone', operator: 'ana' });
    await world.clock.advance(6_000);
    const lines = (await read()).split('\n').filter((line) => /reconciled_total\{|"doubted"/.test(line));
    expect(lines).toEqual([
      'tidings_events_total{event="doubted"} 1',
      'tidings_reconciled_total{by="same_key"} 1',
      'tidings_reconciled_total{by="look_up"} 2',
      'tidings_reconciled_total{by="webhook"} 1',
      'tidings_reconciled_total{by="operator"} 1',
      'tidings_reconciled_total{by="late_answer"} 1',
    ]);
  });

  test('how the provider is, and what is paused', async () => {
    const now = world.clock.now();
    await world.db.write
      .insertInto('provider_pace')
      .values({
        account: 'fake',
        open_since: now - 3_000,
        paused_until: now + 7_000,
        seen_rate_per_second: 2,
        doubts: 4,
      })
      .execute();
    await createPauses(world.db, world.clock).pause('*', { reason: 'r', operator: 'ana' });
    const text = await read();
    for (const line of [
      'tidings_provider_circuit_open{account="fake"} 1',
      'tidings_provider_circuit_open_seconds{account="fake"} 3',
      'tidings_provider_pause_seconds{account="fake"} 7',
      'tidings_provider_seen_rate_per_second{account="fake"} 2',
      'tidings_provider_doubts{account="fake"} 4',
      'tidings_paused{scope="*"} 1',
    ])
      expect(text.split('\n')).toContain(line);
  });
});

test('the table is asked at most once in five seconds; requests are counted by route', async () => {
  const world = await createApiWorld();
  let counted = 0;
  const counts = async () => {
    counted += 1;
    return world.queries.counts();
  };
  const api = await world.serve({ api: { queries: { ...world.queries, counts } } });
  for (let times = 0; times < 3; times++) await api.ask('GET', '/metrics');
  await api.ask('GET', '/api/v1/deliveries/12345');
  await api.ask('GET', '/nowhere/s3cret');
  const { text, headers } = await api.ask('GET', '/metrics');
  expect(counted).toBe(1);
  expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(text).toContain('tidings_http_requests_total{method="GET",route="/metrics",status="200"} 3');
  expect(text).toContain('route="/api/v1/deliveries/:reference",status="404"} 1');
  expect(text).toContain('tidings_http_requests_total{method="GET",route="none",status="404"} 1');
  expect(text).toMatch(/tidings_process_resident_memory_bytes \d{7,}/);
  await world.clock.advance(5_001);
  await api.ask('GET', '/metrics');
  expect(counted).toBe(2);
  await world.close();
});

test('what waits is counted from the index of the claim alone', async () => {
  const world = await createWorld('sqlite');
  const { rows } = await sql<{ detail: string }>`EXPLAIN QUERY PLAN
    SELECT source, lane, count(*), min(due_at) FROM deliveries
    WHERE status IN ('pending', 'failed_transient') AND lapses < 2 GROUP BY source, lane`.execute(
    world.db.read,
  );
  expect(rows.map(({ detail }) => detail).join()).toMatch(/deliveries_claimable/);
  await world.close();
});
