import { afterEach, beforeEach, expect, it } from 'vitest';
import { onBothDatabases } from '../support/world.ts';
import { ana, bob, createReviewWorld, hourMs, type ReviewWorld, tagsOf, to } from './review-world.ts';

const dayMs = 24 * hourMs;
const secret = 'what only the bot knew';

onBothDatabases('retention of reviews', (dialect) => {
  let world: ReviewWorld;
  beforeEach(async () => {
    world = await createReviewWorld(dialect);
  });
  afterEach(() => world.close());

  const findings = [{ severity: 'major', message: secret, file: 'src/a.ts', line: 1 }] as const;
  const submit = (version: number, more: Parameters<ReviewWorld['submit']>[0] = {}) =>
    world.submit({
      ...{ idempotency_key: `key-${version}`, review_version: version, rerun: true },
      ...{ summary: secret, findings, ...more },
    });
  /** Everything that the tables of reviews hold. */
  const kept = async () =>
    JSON.stringify(await world.db.read.selectFrom('review_jobs').selectAll().execute());
  const pass = async (days: number) => {
    await world.clock.advance(days * dayMs);
    await world.sweep();
  };

  it('drops summary and findings with the mails; identity and history stay', async () => {
    const { job } = await submit(3, { recipients: to(ana, bob) });
    await world.turn();
    await pass(89);
    expect(await kept()).toContain(secret);
    await pass(2);
    expect(await kept()).not.toContain(secret);

    const shown = await world.reviews.get(job.row.job_id);
    expect(shown).toMatchObject({
      ...{ state: 'succeeded', recipients: [{ recipient: ana }, { recipient: bob }] },
      row: {
        ...{ title: 'Cache the parsed policy', url: 'https://review.example.org/CL-17', findings_count: 1 },
        ...{ summary: null, findings: '[]', forgotten_at: world.clock.now() },
      },
    });
    // What is gone cannot be compared, and is not said to differ.
    expect(await submit(3, { recipients: to(ana, bob) })).toMatchObject({
      ...{ answer: 'duplicate_idempotency', differences: [], job: { row: { job_id: job.row.job_id } } },
    });
    const other = { idempotency_key: 'other', title: 'Another', recipients: to(ana, bob) };
    expect(await submit(3, other)).toMatchObject({
      ...{ answer: 'already_succeeded_same_version', differences: ['title'] },
    });
    await expect(submit(2)).rejects.toMatchObject({ code: 'stale_review_version' });
    await pass(1);
    expect((await world.reviews.get(job.row.job_id)).row.forgotten_at).toBe(shown.row.forgotten_at);
    expect(world.log.lines.filter(({ event }) => event === 'reviews.forgotten')).toMatchObject([{ jobs: 1 }]);
  });

  it('leaves the next version nothing to compare with, and its mail does not pretend', async () => {
    await submit(3);
    await world.turn();
    await pass(91);
    const { job } = await submit(4);
    expect(job.row.previous_version).toBe(3);
    await world.turn();
    const mail = world.provider.ledger.at(-1)?.mail;
    expect(mail?.text).toContain(secret);
    expect(mail?.text).not.toMatch(/Since version|New/);
  });

  it('keeps what may still have to be said: while one of its mails is open, or the next version compares with it', async () => {
    await submit(3, { recipients: to(ana, bob) });
    world.provider.answer(({ mail, key }) =>
      mail.to === bob
        ? { kind: 'refused_for_now', error: { code: 'busy' } }
        : { kind: 'accepted', messageId: `id-${key}` },
    );
    await world.turn();
    await pass(91);
    expect(await kept()).toContain(secret);
    world.provider.answer(({ key }) => ({ kind: 'accepted', messageId: `id-${key}` }));
    await world.turn();
    expect(world.provider.ledger.at(-1)?.mail.text).toContain(secret);
    await pass(80);
    await submit(4, { findings: [] });
    await pass(20);
    expect(await kept(), 'version 4 has not been told').toContain(secret);
    await world.turn();
    expect(world.provider.ledger.at(-1)?.mail.text).toContain('Since version 3');
    await pass(89);
    expect(await kept()).toContain(secret);
    await pass(2);
    expect(await kept()).not.toContain(secret);
  });

  it('never lets a review without its findings be told as one that had none', async () => {
    const { job } = await submit(3);
    await world.db.write
      .updateTable('review_jobs')
      .set({ summary: null, findings: '[]', forgotten_at: 1 })
      .execute();
    await world.turn();
    expect(world.provider.ledger).toEqual([]);
    expect(await world.state(job.row.job_id)).toBe('failed');
    expect((await world.reviews.deadLetters({ limit: 9 })).deadLetters).toMatchObject([
      { errorClass: 'permanent_content', code: 'review_forgotten', asks: 'caller' },
    ]);
  });

  it('a bounce that comes after all of it is gone tells nobody a second time', async () => {
    await submit(3);
    await world.turn();
    const row = await world.row();
    await pass(91);
    await world.tell('late', {
      type: 'email.bounced',
      tags: tagsOf(row),
      data: { bounce: { type: 'Transient' } },
    });
    await pass(1);
    await world.turn();
    expect(world.provider.ledger).toHaveLength(1);
    expect(await world.row()).toMatchObject({
      status: 'sent',
      notified_at: row.notified_at,
    });
  });
});
