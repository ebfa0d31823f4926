import { afterEach, beforeEach, expect, it } from 'vitest';
import { monthly, november } from '../newsletters/civic-world.ts';
import { onBothDatabases } from '../support/world.ts';
import { createRunsApi, keys, type RunsApi } from './notifications-runs-world.ts';

const hourMs = 3_600_000;

onBothDatabases('a run’s first mails over the API', (dialect) => {
  let api: RunsApi;
  beforeEach(async () => {
    api = await createRunsApi(dialect);
  });
  afterEach(() => api.close());

  const standing = async () =>
    (
      await api.server.ask('GET', '/api/v1/standing', {
        headers: { authorization: `Bearer ${keys.read[0]}` },
      })
    ).body;
  const begun = async (more: object = {}) => {
    await api.followAll(4);
    const { runId } = (await api.order({ canary: { size: 2, waitMinutes: 60, ...more } })).body;
    return runId as string;
  };
  async function bounceOne(): Promise<number> {
    const sent = api.db.read.selectFrom('deliveries').selectAll().where('status', '=', 'sent');
    const { seq } = await sent.orderBy('seq').limit(1).executeTakeFirstOrThrow();
    const bounce = { event: 'bounced_for_good', round: 1, at: api.clock.now(), actor: 'webhook' } as const;
    await api.outbox.record([{ ...bounce, seq }]);
    return seq;
  }

  it('says what they have met, how long it listens, and nothing of it once they have passed', async () => {
    const runId = await begun();
    expect((await api.show(runId)).progress.canary).toEqual({
      ...{ accepted: 0, open: 0, stuck: 0, bad: 0, listensUntil: null },
    });
    // What was counted is shown for a second.
    await api.clock.advance(1_001);
    await api.settle();
    const until = new Date(november + 1_001 + hourMs).toISOString();
    const quiet = { accepted: 2, open: 0, stuck: 0, bad: 0, listensUntil: until };
    expect((await api.show(runId)).progress.canary).toEqual(quiet);
    expect((await api.change('pause', runId)).body.progress.canary).toEqual({ ...quiet, listensUntil: null });
    await api.change('resume', runId);
    await api.clock.advance(hourMs);
    await api.settle();
    const passed = await api.show(runId);
    expect([passed.status, passed.progress.canary]).toEqual(['finished', null]);
    expect(passed.canary.passedAt).not.toBeNull();
  });

  it('a plan has met nothing yet', async () => {
    await api.followAll(1);
    expect((await api.plan({ canary: { size: 1 } })).body.progress.canary).toBeNull();
  });

  it('halted, it says by which deliveries, and goes on when somebody says so', async () => {
    const runId = await begun();
    await api.settle();
    const seq = await bounceOne();
    await api.settle();
    const halted = await api.show(runId);
    expect(halted).toMatchObject({ status: 'halted', progress: { canary: { bad: 1, listensUntil: null } } });
    expect(halted.because).toMatch(/^Of the first mails 1 bounced/);
    const { items } = (await api.ask('GET', `/runs/${runId}/items?state=composed`)).body;
    expect(items).toHaveLength(2);
    expect(items.find((item: { deliverySeq: number }) => item.deliverySeq === seq)).toMatchObject({
      ...{ deliveryStatus: 'suppressed', state: 'composed' },
    });
    expect(items.find((item: { deliverySeq: number }) => item.deliverySeq !== seq)).toMatchObject({
      ...{ deliveryStatus: 'sent', deliveryError: null },
    });
    expect((await standing()).runs).toEqual([
      {
        ...{ runId, type: monthly, periodKey: '2026-10', status: 'halted', people: 4 },
        because: halted.because,
      },
    ]);
    const planned = (await api.ask('GET', `/runs/${runId}/items?state=planned`)).body.items;
    expect(planned).toMatchObject([{ deliveryStatus: null }, { deliveryStatus: null }]);
    await api.change('resume', runId, 'it was one address');
    await api.settle();
    expect(await api.show(runId)).toMatchObject({ status: 'finished', progress: { canary: null } });
    // It is at its end, and nobody need look at it.
    await api.clock.advance(1_000);
    expect((await standing()).runs).toEqual([]);
  });
});
