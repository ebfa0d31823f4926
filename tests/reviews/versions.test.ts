import { afterEach, beforeEach, expect, it } from 'vitest';
import { onBothDatabases } from '../support/world.ts';
import { ana, bob, createReviewWorld, type ReviewWorld, to } from './review-world.ts';

onBothDatabases('v3 has succeeded', (dialect) => {
  let world: ReviewWorld;
  let jobId: string;
  beforeEach(async () => {
    world = await createReviewWorld(dialect);
    const { job } = await world.submit({ recipients: to(ana, bob) });
    jobId = job.row.job_id;
    await world.turn();
    expect(await world.state(jobId)).toBe('succeeded');
  });
  afterEach(() => world.close());

  it('v3 again: no send, the prior success; v4 without rerun: refused, with the reason; v4 with rerun: new keys; v2: stale', async () => {
    const keys = new Set(world.provider.ledger.map(({ key }) => key));
    const again = await world.submit({ idempotency_key: 'key-2', recipients: to(ana, bob) });
    expect(again).toMatchObject({
      ...{ answer: 'already_succeeded_same_version', differences: [] },
      job: { state: 'succeeded', row: { job_id: jobId } },
    });
    await world.turn();
    expect(world.provider.ledger, 'nothing more was sent').toHaveLength(2);

    const next = { idempotency_key: 'key-3', review_version: 4, recipients: to(ana, bob) };
    await expect(world.submit(next)).rejects.toMatchObject({
      code: 'rerun_required',
      message:
        'Version 3 of this change list has been told to all who must hear of it. To tell them of version 4 as well, say "rerun": true.',
    });
    await world.turn();
    expect(world.provider.ledger).toHaveLength(2);

    const rerun = await world.submit({ ...next, rerun: true });
    expect(rerun).toMatchObject({
      answer: 'created',
      job: { state: 'queued', row: { previous_version: 3 } },
    });
    await world.turn();
    const fresh = world.provider.ledger.slice(2);
    expect(fresh.map(({ mail }) => mail.to).sort()).toEqual([ana, bob]);
    expect(fresh.filter(({ key }) => keys.has(key))).toEqual([]);
    expect(await world.state(rerun.job.row.job_id)).toBe('succeeded');

    await expect(world.submit({ idempotency_key: 'key-4', review_version: 2 })).rejects.toMatchObject({
      code: 'stale_review_version',
      details: { latest_version: 4, job_id: rerun.job.row.job_id },
    });
    await expect(world.submit({ idempotency_key: 'key-5', review_version: 3 })).rejects.toMatchObject({
      code: 'stale_review_version',
    });
    expect(
      await world.submit({ recipients: to(ana, bob) }),
      'the first key still finds its job',
    ).toMatchObject({
      ...{ answer: 'duplicate_idempotency', job: { row: { job_id: jobId } } },
    });
    await world.turn();
    expect(world.provider.ledger).toHaveLength(4);
  });

  it('a rerun in mid-flight waits for nobody: both versions are told, each once', async () => {
    const v4 = await world.submit({ idempotency_key: 'k4', review_version: 4, rerun: true });
    const order = { source: 'code-reviews', worker: 'w', limit: 9, leaseMs: 1_000, from: 'normal' } as const;
    expect(await world.outbox.claim(order)).toHaveLength(1);
    expect(await world.state(v4.job.row.job_id)).toBe('in_progress');
    // v4 has not succeeded, so that v5 needs no rerun.
    const v5 = await world.submit({ idempotency_key: 'k5', review_version: 5 });
    expect(v5).toMatchObject({ answer: 'created', job: { row: { previous_version: 4 } } });
    await world.turn();
    await world.clock.advance(1_000);
    await world.sweep();
    await world.turn();
    const told = world.provider.ledger.map(({ mail }) => `${mail.tags.review_version} ${mail.to}`).sort();
    expect(told).toEqual([`3 ${ana}`, `3 ${bob}`, `4 ${ana}`, `5 ${ana}`]);
    for (const { job } of [v4, v5]) expect(await world.state(job.row.job_id)).toBe('succeeded');
  });
});
