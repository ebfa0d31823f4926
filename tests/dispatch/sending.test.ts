import { expect, it } from 'vitest';
import type { Outcome } from '../../src/domain/outcome.ts';
import type { Status } from '../../src/domain/status.ts';
import type { Provider } from '../../src/providers/provider.ts';
import { createDispatchWorld, leaseMs, signal, someError } from '../support/dispatch-world.ts';
import { createFakeProvider } from '../support/fake-provider.ts';
import { intentNumber, onBothDatabases } from '../support/world.ts';
import { worldForEach } from '../support/world-for-each.ts';

onBothDatabases('from row to provider', (dialect) => {
  const world = worldForEach(() => createDispatchWorld(dialect));

  it('002-D6-01, 002-D6-02 takes what is due to the provider, with the way out of it, and records what came of it', async () => {
    const [seq] = await world.enqueue(1, 2, 3);
    expect(await world.dispatch().runOnce(signal())).toMatchObject({ handled: 3 });
    expect(await world.statusesOf()).toEqual({ sent: 3 });
    const row = await world.find(seq);
    expect(row).toMatchObject({ attempts: 1, claims: 1, round: 1, provider_message_id: `id-${row?.id}` });
    const parcel = world.provider.ledger.find(({ key }) => key === row?.id);
    expect(parcel?.mail).toMatchObject({
      to: 'person-1@example.org',
      subject: 'Subject 1',
      text: expect.stringMatching(
        /^Text 1\n\n----\nUnsubscribe: https:\/\/mail\.example\.org\/api\/v1\/notifications\/unsubscribe\/[\w-]{44}$/,
      ),
      headers: {
        'List-Unsubscribe': expect.stringMatching(/^<https:\/\/mail\.example\.org\/.*[\w-]{44}>$/),
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        'Auto-Submitted': 'auto-generated',
      },
      tags: { delivery_id: row?.id, round: '1', env: 'test' },
    });
    expect(await world.dispatch().runOnce(signal())).toMatchObject({ handled: 0 });
  });

  it.each([
    [
      { kind: 'deferred', error: someError, retryAfterMs: 9_000 },
      { status: 'pending', attempts: 0, dueInMs: 9_000 },
    ],
    [
      { kind: 'refused_for_good', error: someError },
      { status: 'failed_permanent', attempts: 1, dueInMs: null },
    ],
    [
      { kind: 'refused_for_now', error: someError, retryAfterMs: 777_000 },
      { status: 'failed_transient', attempts: 1, dueInMs: 777_000 },
    ],
    [
      { kind: 'unknown', error: someError },
      { status: 'reconciling', attempts: 1, dueInMs: 5_000 },
    ],
    [
      { kind: 'unknown', error: someError, isAttempt: false },
      { status: 'reconciling', attempts: 0, dueInMs: 5_000 },
    ],
    [
      { kind: 'key_conflict', error: someError },
      { status: 'reconciling', attempts: 1, dueInMs: 5_000 },
    ],
    [
      { kind: 'key_conflict', error: someError, isAttempt: false },
      { status: 'reconciling', attempts: 0, dueInMs: 5_000 },
    ],
  ] as [Outcome, { status: Status; attempts: number; dueInMs: number | null }][])(
    '%j ends as the table says',
    async (outcome, wanted) => {
      const [seq] = await world.enqueue(1);
      world.provider.answer(() => outcome);
      await world.dispatch().runOnce(signal());
      const row = await world.find(seq);
      expect(row).toMatchObject({ status: wanted.status, attempts: wanted.attempts, locked_by: null });
      expect(row?.due_at).toBe(wanted.dueInMs === null ? null : world.clock.now() + wanted.dueInMs);
      const wait = 'retryAfterMs' in outcome ? { retryAfterSeconds: (outcome.retryAfterMs ?? 0) / 1000 } : {};
      expect(JSON.parse(row?.last_error ?? '')).toEqual({ ...someError, ...wait });
    },
  );

  it('002-D1-04, 000-66 Refused for now five times is a dead letter; the fifth success would have been sent', async () => {
    const [doomed, lucky] = await world.enqueue(1, 2);
    const luckyId = (await world.find(lucky))?.id;
    let calls = 0;
    world.provider.answer(({ key }) => {
      if (key === luckyId && ++calls === 5) return { kind: 'accepted', messageId: 'at last' };
      return { kind: 'refused_for_now', error: someError };
    });
    for (let attempt = 1; attempt <= 5; attempt++) {
      await world.dispatch().runOnce(signal());
      expect((await world.find(doomed))?.attempts).toBe(attempt);
      await world.clock.advance(600_000);
    }
    expect(await world.find(doomed)).toMatchObject({ status: 'failed_permanent', attempts: 5, due_at: null });
    expect(await world.find(lucky)).toMatchObject({
      status: 'sent',
      attempts: 5,
      provider_message_id: 'at last',
    });
    // 002-P11-03, one key and one body: whatever was handed over for a delivery was the same each time.
    const bodies = new Map<string, Set<string>>();
    for (const { key, mail } of world.provider.ledger)
      bodies.set(key, (bodies.get(key) ?? new Set()).add(JSON.stringify(mail)));
    expect([...bodies.values()].map(({ size }) => size)).toEqual([1, 1]);
    expect(world.provider.ledger).toHaveLength(10);
  });

  it('a provider that throws leaves a doubt, not a lost mail', async () => {
    await world.enqueue(1);
    world.provider.answer(() => {
      throw new Error('socket hang up');
    });
    await world.dispatch().runOnce(signal());
    expect(await world.statusesOf()).toEqual({ reconciling: 1 });
  });

  it('at a stop, what is in flight finishes and the rest is given back', async () => {
    const seqs = await world.enqueue(...Array.from({ length: 10 }, (_, number) => number));
    const stop = new AbortController();
    world.provider.answer(async ({ key }) => {
      // Four are in flight before the first is answered.
      await new Promise(setImmediate);
      stop.abort();
      return { kind: 'accepted', messageId: key };
    });
    await world.dispatch().runOnce(stop.signal);
    expect(await world.statusesOf()).toEqual({ sent: 4, pending: 6 });
    expect(world.provider.ledger).toHaveLength(4);
    const waiting = (await Promise.all(seqs.map(world.find))).filter((row) => row?.status === 'pending');
    expect(
      waiting.every(
        (row) => row?.attempts === 0 && row.locked_by === null && row.first_possible_accept_at === null,
      ),
    ).toBe(true);
  });

  it('without keys only as many rows are begun as leave at once', async () => {
    await world.enqueue(...Array.from({ length: 10 }, (_, number) => number));
    const keyless = createFakeProvider({ idempotencyWindowMs: null, concurrency: 3 });
    let inDoubtMost = 0;
    keyless.answer(async ({ key }) => {
      const { sending = 0 } = await world.statusesOf();
      inDoubtMost = Math.max(inDoubtMost, sending);
      return { kind: 'accepted', messageId: key };
    });
    await world.dispatch({ provider: keyless }).runOnce(signal());
    expect(inDoubtMost).toBeLessThanOrEqual(3);
    expect(inDoubtMost).toBeGreaterThan(0);
    expect(await world.statusesOf()).toEqual({ sent: 10 });
  });

  it('no call is started that could outlast the lease', async () => {
    await world.enqueue(1, 2, 3, 4, 5);
    world.provider.answer(async ({ key }) => {
      await world.clock.advance(leaseMs / 4);
      return { kind: 'accepted', messageId: key };
    });
    const slow: Provider = {
      ...world.provider,
      guarantees: { ...world.provider.guarantees, concurrency: 1, longestCallMs: leaseMs / 2 },
    };
    await world.dispatch({ provider: slow }).runOnce(signal());
    // Calls at 0, 30 and 60 s end by 120 s for certain; one at 90 s might not.
    expect(world.provider.ledger).toHaveLength(3);
    expect(await world.statusesOf()).toEqual({ sent: 3, pending: 2 });
  });

  it('a worker that dies with a claim loses it, and what kills five workers is a dead letter', async () => {
    const [seq] = await world.enqueue(1);
    for (let death = 1; death <= 5; death++) {
      const from = death > 2 ? 'suspects' : 'normal';
      const claimed = await world.outbox.claim({ source: 'plain', worker: 'w', limit: 9, leaseMs, from });
      expect(claimed, `death ${death}`).toHaveLength(1);
      await world.clock.advance(leaseMs);
      await world.sweep().runOnce();
    }
    const row = await world.find(seq);
    expect(row).toMatchObject({ status: 'failed_permanent', attempts: 0, claims: 5 });
    expect(JSON.parse(row?.last_error ?? '').code).toBe('crashes_worker');
  });

  it('002-P4-01 a delivery is told in its own language, and keeps the name and version of its template', async () => {
    const variables = { subject: 'Știri', text: 'x', unsubscribeUrl: 'https://example.org/stop' };
    await world.outbox.enqueue([intentNumber(1, { locale: 'ro-RO', variables })]);
    await world.dispatch().runOnce(signal());
    expect(world.provider.ledger[0]?.mail.text).toContain('Dezabonați-vă: https://example.org/stop');
    const [row] = await world.queries.search({ limit: 10 });
    expect(row).toMatchObject({ status: 'sent', template_name: 'plain', template_version: 'v1' });
  });
});
