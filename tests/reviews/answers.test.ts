import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { onBothDatabases } from '../support/world.ts';
import { ana, bob, createReviewWorld, hourMs, type ReviewWorld, to } from './review-world.ts';

onBothDatabases('answers', (dialect) => {
  let world: ReviewWorld;
  beforeEach(async () => {
    world = await createReviewWorld(dialect);
  });
  afterEach(() => world.close());

  it('of a version that has failed say so: nobody would wait for it', async () => {
    world.provider.answer(() => ({ kind: 'refused_for_good', error: { code: 'policy' } }));
    const { job } = await world.submit();
    expect(await world.submit({ idempotency_key: 'key-2' })).toMatchObject({
      answer: 'already_running_same_version',
    });
    await world.turn();
    expect(await world.submit({ idempotency_key: 'key-3' })).toMatchObject({
      ...{ answer: 'already_failed_same_version', differences: [] },
      job: { state: 'failed', row: { job_id: job.row.job_id } },
    });
    await world.reviews.retry(job.row.job_id, { reason: 'mended', by: 'ana', isOperator: false });
    expect(await world.submit({ idempotency_key: 'key-4' })).toMatchObject({
      ...{ answer: 'already_running_same_version', job: { state: 'in_progress' } },
    });
  });

  it('to a key that is half of a character are none of another’s job', async () => {
    await world.submit({ idempotency_key: 'key-\ufffd' });
    await expect(world.submit({ idempotency_key: 'key-\ud800' })).rejects.toMatchObject({
      code: 'invalid_review',
      details: { problems: [{ field: 'idempotency_key' }] },
    });
  });

  it('name recipients in one order, whatever a database thinks of dots and hyphens', async () => {
    const people = [
      'a-z@example.org',
      'a.b@example.org',
      'ab@example.org',
      'a_b@example.org',
      'a1@example.org',
    ];
    if (dialect === 'postgres') {
      await sql`DROP VIEW review_deliveries`.execute(world.db.write);
      await sql`ALTER TABLE review_job_recipients ALTER COLUMN recipient TYPE TEXT COLLATE "en-x-icu"`.execute(
        world.db.write,
      );
    }
    const { job } = await world.submit({ recipients: to(...people) });
    expect(job.recipients.map(({ recipient }) => recipient)).toEqual(people.toSorted());
  });

  it('come while others wait for the same change list: those hold up nobody but themselves', async () => {
    await world.submit();
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const holding = world.db.transaction(async (tx) => {
      const lock = dialect === 'postgres' ? sql`FOR UPDATE` : sql``;
      await sql`SELECT changelist_id FROM review_changelists WHERE changelist_id = 'CL-17' ${lock}`.execute(
        tx,
      );
      await released;
    });
    const waiting = Array.from({ length: 30 }, (_, number) =>
      world.submit({ idempotency_key: `key-4-${number}`, review_version: 4, recipients: to(bob) }),
    );
    // Long enough for each of them to have asked for the lock; whoever reads is served at once, or not before it is free.
    const read = world.reviews.list({ limit: 1 }).then(() => 'read');
    const late = new Promise((resolve) => setTimeout(resolve, 4_000, 'not read'));
    const first = await Promise.race([read, late]);
    release();
    await holding;
    const answers = await Promise.all(waiting);
    expect(first).toBe('read');
    expect(answers.filter(({ answer }) => answer === 'created')).toHaveLength(1);
    expect(await world.rows()).toHaveLength(2);
  });

  it('to another try of what was forgotten say what leads on, and that does', async () => {
    world.provider.answer(() => ({ kind: 'refused_for_good', error: { code: 'policy' } }));
    const { job } = await world.submit();
    await world.turn();
    await world.clock.advance(91 * 24 * hourMs);
    await world.sweep();
    const order = { reason: 'mended', by: 'ana', isOperator: true };
    const { recipients } = await world.reviews.retry(job.row.job_id, order);
    expect(recipients).toMatchObject([{ outcome: 'forgotten' }]);
    expect(recipients[0]?.sentence).toMatch(/newer version/);
    expect(await world.submit({ idempotency_key: 'key-2' })).toMatchObject({
      answer: 'already_failed_same_version',
    });
    world.provider.answer(({ key }) => ({ kind: 'accepted', messageId: `id-${key}` }));
    const next = await world.submit({ idempotency_key: 'key-3', review_version: 4 });
    await world.turn();
    expect(await world.state(next.job.row.job_id)).toBe('succeeded');
    expect(world.provider.ledger.at(-1)?.mail.to).toBe(ana);
  });
});
