import { afterEach, beforeEach, expect, it } from 'vitest';
import { readConfig } from '../src/config.ts';
import { createEngine, type Engine } from '../src/engine.ts';
import type { Fact } from '../src/outbox/facts.ts';
import { plainSource } from '../src/sources/plain/plain.ts';
import type { Source } from '../src/sources/source.ts';
import { systemClock } from '../src/std/clock.ts';
import { silentLog } from '../src/std/log.ts';
import { migratedDatabase } from './support/own-database.ts';
import { webhookSecret } from './support/webhooks.ts';
import { intentNumber, onBothDatabases } from './support/world.ts';
import { eventBody, signed } from './webhooks/signed.ts';

/** The parts work by themselves, and have their own tests; here it is asked whether each was given to the other. */
onBothDatabases('the engine', (dialect) => {
  let engine: Engine;
  let drop: () => Promise<void>;
  beforeEach(async () => {
    const database = await migratedDatabase(dialect);
    drop = database.drop;
    await database.db.close();
    const settings = { MAIL_PROVIDER: 'capture', RESEND_WEBHOOK_SECRET: webhookSecret, TIDINGS_ENV: 'test' };
    const config = readConfig({ DATABASE_URL: database.url, ...settings }, 'no such file');
    engine = await createEngine(config, { log: silentLog, migrations: 'all' });
    // What becomes of a mail these tests say themselves.
    await engine.switches.turnOn('silence', { forMs: 3_600_000, by: 'a test' });
  });
  afterEach(async () => {
    await engine.close();
    await drop();
  });

  const statusOf = async (seq: number | undefined) => (await engine.queries.find(String(seq)))?.status;
  const enqueue = async (...numbers: number[]) => {
    const made = await engine.outbox.enqueue(numbers.map((number) => intentNumber(number)));
    return made.map(({ seq }) => seq);
  };
  async function untilStatus(seq: number | undefined, status: string): Promise<void> {
    for (let tries = 0; tries < 500 && (await statusOf(seq)) !== status; tries++) await systemClock.sleep(10);
    expect(await statusOf(seq)).toBe(status);
  }

  it('reports what its inbox took, as a provider would', async () => {
    await engine.switches.turnOff('silence');
    const [first] = await enqueue(1);
    engine.runner.start();
    await untilStatus(first, 'delivered');
    const kept = await engine.db.read.selectFrom('webhook_events').select(['provider', 'type']).execute();
    expect(kept).toEqual([{ provider: 'capture', type: 'email.delivered' }]);
  });

  it('wakes its runner when something new is in the outbox, and only then', async () => {
    let wakes = 0;
    engine.runner.wake = () => {
      wakes += 1;
    };
    await enqueue(1);
    expect(wakes).toBe(1);
    await enqueue(1);
    expect(wakes).toBe(1);
  });

  it('a webhook is applied by its policy and its environment, and what waits is linked by its runner', async () => {
    const [first] = await enqueue(1);
    engine.runner.start();
    await untilStatus(first, 'sent');
    const now = engine.clock.now();
    const messageId = (await engine.queries.find(String(first)))?.provider_message_id ?? '';
    const tell = (id: string, words: Parameters<typeof eventBody>[0]) =>
      engine.webhooks.receive(signed(id, eventBody({ at: now, ...words }), { at: engine.clock.now() }));
    await tell('msg_1', { type: 'email.complained', messageId: 'theirs', tags: { env: 'another' } });
    const kept = await engine.db.read.selectFrom('webhook_events').select('outcome').execute();
    expect(kept).toEqual([{ outcome: 'another environment' }]);
    expect(await statusOf(first)).toBe('sent');
    await tell('msg_2', { type: 'email.bounced', messageId, data: { bounce: { type: 'Transient' } } });
    const dueAt = (await engine.queries.find(String(first)))?.due_at ?? 0;
    expect(Math.round((dueAt - now) / 60_000)).toBe(Math.round(plainSource.policy.bounceDelayMs / 60_000));

    await tell('msg_3', { type: 'email.delivered', messageId: 'unknown' });
    const payload = eventBody({ at: now, type: 'email.delivered', messageId });
    const waits = engine.db.write.updateTable('webhook_events').set({ due_at: 1, payload });
    await waits.where('provider_event_id', '=', 'msg_3').execute();
    await untilStatus(first, 'delivered');
  });

  it('a complaint that reaches its outbox keeps the next mail to that address from leaving', async () => {
    const [first] = await enqueue(1);
    engine.runner.start();
    await untilStatus(first, 'sent');
    await engine.outbox.record([{ seq: first ?? 0, event: 'complained', round: 1, at: 1, actor: 'webhook' }]);
    const again = intentNumber(2, { toEmail: 'person-1@example.org' });
    const [second] = await engine.outbox.enqueue([again]);
    await untilStatus(second?.seq, 'suppressed');
    expect(await engine.db.read.selectFrom('captured_mails').select('message_id').execute()).toHaveLength(1);
  });

  it('tells a source what became of its deliveries', async () => {
    const told: Fact[] = [];
    const listening: Source = {
      ...plainSource,
      name: 'listening',
      changed: async (facts) => {
        told.push(...facts);
      },
    };
    (engine.sources as Source[]).push(listening);
    const [made] = await engine.outbox.enqueue([intentNumber(1, { source: 'listening' })]);
    await engine.outbox.record([
      { seq: made?.seq ?? 0, event: 'accepted', round: 1, at: 1, messageId: 'm', actor: 'webhook' },
    ]);
    expect(told).toMatchObject([{ kind: 'first_accepted', delivery: { seq: made?.seq } }]);
  });

  it('sends nothing while an operator has paused it, and goes on when the pause is lifted', async () => {
    const pause = { scope: '*', reason: 'r', paused_by: 'ana', paused_at: 1 };
    await engine.db.write.insertInto('pauses').values(pause).execute();
    const [seq] = await enqueue(1);
    engine.runner.start();
    await systemClock.sleep(300);
    expect(await statusOf(seq)).toBe('pending');
    await engine.db.write.deleteFrom('pauses').execute();
    await untilStatus(seq, 'sent');
  });

  it('sweeps up the lists of runs that ended long ago', async () => {
    const long = { run_id: 'r', notification_type: 'newsletter_entity_monthly', period_key: '2020-01' };
    const ended = { status: 'finished', eligible_count: 1, created_by: 'ana', trace_id: 't' } as const;
    const times = { created_at: 1, updated_at: 1, ended_at: 1 };
    await engine.db.write
      .insertInto('notification_runs')
      .values({ ...long, ...ended, ...times })
      .execute();
    const line = {
      run_id: 'r',
      notification_id: 'n',
      user_id: 'u',
      period_key: '2020-01',
      state: 'composed',
    };
    await engine.db.write
      .insertInto('notification_run_items')
      .values({ ...line, state: 'composed', place: 1 })
      .execute();
    await engine.sweep.runOnce();
    expect(await engine.db.read.selectFrom('notification_run_items').selectAll().execute()).toEqual([]);
    expect((await engine.newsletters.runs.get('r')).status).toBe('finished');
  });

  it('sweeps up what a worker left behind, and settles what it left in doubt', async () => {
    const [claimed, doubted] = await enqueue(1, 2);
    const now = engine.clock.now();
    const held = { locked_by: 'gone', locked_at: now - 9, due_at: now - 1, lease: 1 };
    const set = (seq: number | undefined, columns: object) =>
      engine.db.write
        .updateTable('deliveries')
        .set(columns)
        .where('seq', '=', seq ?? 0)
        .execute();
    await set(claimed, { ...held, status: 'claimed' });
    const inDoubt = {
      round: 1,
      evidence: 4,
      account: 'capture',
      first_possible_accept_at: now - 999_999_999,
      resubmit_until: now - 900_000_000,
    };
    await set(doubted, { ...inDoubt, status: 'reconciling', due_at: now - 1 });
    engine.runner.start();
    await untilStatus(claimed, 'sent');
    // Its account never had it, and so it was sent after all, once.
    await untilStatus(doubted, 'sent');
    expect(await engine.queries.find(String(claimed))).toMatchObject({ lapses: 0, claims: 1, attempts: 1 });
    expect(await engine.db.read.selectFrom('captured_mails').select('message_id').execute()).toHaveLength(2);
  });
});
