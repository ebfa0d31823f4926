import { afterEach, beforeEach, expect, it } from 'vitest';
import { onBothDatabases } from '../support/world.ts';
import { ana, bob, createReviewWorld, hourMs, type ReviewWorld, tagsOf, to } from './review-world.ts';

const carol = 'carol@example.org';

onBothDatabases('another try', (dialect) => {
  let world: ReviewWorld;
  let jobId: string;
  /** What the provider refuses for good, and with which code. */
  let refused: Map<string, string>;
  beforeEach(async () => {
    world = await createReviewWorld(dialect);
    refused = new Map();
    world.provider.answer(({ key, mail }) => {
      const code = refused.get(mail.to);
      return code === undefined
        ? { kind: 'accepted', messageId: `id-${key}` }
        : { kind: 'refused_for_good', error: { code } };
    });
    const { job } = await world.submit({ recipients: to(ana, bob, carol) });
    jobId = job.row.job_id;
  });
  afterEach(() => world.close());

  const order = { reason: 'it is mended', by: 'the bot', isOperator: false };
  const retry = (more: Partial<Parameters<ReviewWorld['reviews']['retry']>[1]> = {}) =>
    world.reviews.retry(jobId, { ...order, ...more });
  const outcomes = async (more = {}) =>
    (await retry(more)).recipients.map(({ recipient, outcome }) => `${recipient.split('@')[0]} ${outcome}`);
  const settle = async () => {
    for (const { once } of world.reviews.chores) await once(new AbortController().signal);
    return (await world.db.read.selectFrom('review_replays').selectAll().orderBy('replay_seq').execute()).map(
      ({ code, outcome }) => `${code} ${outcome}`,
    );
  };
  const alerts = () => world.log.lines.filter(({ event }) => event === 'review.escalated').length;

  it('by two at once puts each back once, and is one line in its story', async () => {
    refused.set(bob, 'policy');
    await world.turn();
    const answers = await Promise.all([retry(), retry(), retry()]);
    const requeued = answers.flatMap(({ recipients }) => recipients).filter(({ isRequeued }) => isRequeued);
    expect(requeued).toHaveLength(1);
    const row = (await world.rows()).find(({ recipient }) => recipient === bob);
    expect(await world.storyOf(row?.delivery_seq ?? 0)).toEqual(['refused_for_good', 'requeued']);
    refused.clear();
    await world.turn();
    expect(world.provider.ledger.filter(({ mail }) => mail.to === bob)).toHaveLength(2);
    expect(await settle(), 'it may still come back').toEqual(['policy null']);
    await world.clock.advance(72 * hourMs);
    expect(await settle()).toEqual(['policy sent']);
    expect(alerts()).toBe(0);
  });

  it('leaves alone who was told and who is on the way, and names them where they are named', async () => {
    refused.set(bob, 'policy');
    await world.turn();
    expect(await outcomes()).toEqual(['bob requeued']);
    expect(await outcomes()).toEqual([]);
    expect(await outcomes({ recipients: ['ANA@example.org', bob] })).toEqual([
      'ana already_sent',
      'bob in_progress',
    ]);
    await expect(retry({ recipients: ['eve@example.org', 'x', ana] })).rejects.toMatchObject({
      code: 'recipient_unknown',
      details: { problems: [{ field: 'recipients[0]' }, { field: 'recipients[1]' }] },
    });
  });

  it('that ends in the same way is refused to a bot and told once; what ended in another way goes on', async () => {
    refused.set(bob, 'policy').set(carol, 'policy');
    await world.turn();
    expect(await outcomes()).toEqual(['bob requeued', 'carol requeued']);
    refused.set(carol, 'message_too_big');
    await world.turn();
    expect(await outcomes(), 'only one of them has escalated').toEqual(['bob escalated', 'carol requeued']);
    await world.turn();
    await expect(retry()).rejects.toMatchObject({ code: 'escalated' });
    await expect(retry({ recipients: [bob] })).rejects.toMatchObject({ code: 'escalated' });
    expect(await settle()).toEqual(['policy escalated', 'policy ended', 'message_too_big escalated']);
    await settle();
    expect(alerts()).toBe(2);
    expect(await outcomes({ isOperator: true })).toEqual(['bob requeued', 'carol requeued']);
    refused.clear();
    await world.turn();
    expect(await world.state(jobId)).toBe('succeeded');
    await world.clock.advance(72 * hourMs);
    expect((await settle()).slice(3)).toEqual(['policy sent', 'message_too_big sent']);
  });

  it('seed 295: one that is accepted and comes back as before is told, too', async () => {
    await world.turn();
    const bobs = (await world.rows()).find(({ recipient }) => recipient === bob);
    if (!bobs) throw new Error('no row of bob');
    const data = { failed: { reason: 'invalid_attachment' } };
    await world.tell('msg_1', { type: 'email.failed', tags: tagsOf(bobs, 1), data });
    expect(await outcomes()).toEqual(['bob requeued']);
    await world.turn();
    expect((await settle())[0], 'accepted, which is not the end of it').toMatch(/ null$/);
    await world.tell('msg_2', { type: 'email.failed', tags: tagsOf(bobs, 2), data });
    expect((await settle())[0]).toMatch(/ escalated$/);
    expect(alerts()).toBe(1);
    await expect(retry()).rejects.toMatchObject({ code: 'escalated' });
  });

  it('by `deliveries requeue` counts as one: the list and the refusal know it', async () => {
    refused.set(bob, 'policy');
    await world.turn();
    const seq = (await world.rows()).find(({ recipient }) => recipient === bob)?.delivery_seq ?? 0;
    await world.outbox.perform([seq], { verb: 'requeued', reason: 'by hand', operator: 'olga' });
    await world.turn();
    expect((await world.reviews.deadLetters({ limit: 9 })).deadLetters).toMatchObject([
      { recipient: bob, isEscalated: true, asks: 'operator' },
    ]);
    await expect(retry()).rejects.toMatchObject({ code: 'escalated' });
  });

  it('needs a reason, and without one nothing is done', async () => {
    refused.set(bob, 'policy');
    await world.turn();
    for (const reason of ['', '  ', 'x'.repeat(501)])
      await expect(retry({ reason })).rejects.toMatchObject({ code: 'reason_required' });
    expect(await world.state(jobId)).toBe('failed');
    expect(await settle()).toEqual([]);
  });

  it('of what retention has forgotten is refused, and says what to do', async () => {
    refused.set(bob, 'policy');
    await world.turn();
    await world.clock.advance(91 * 24 * hourMs);
    await world.sweep();
    expect(await outcomes()).toEqual(['bob forgotten']);
    expect((await world.reviews.deadLetters({ limit: 9 })).deadLetters, 'its story is kept').toMatchObject([
      { recipient: bob, code: 'policy' },
    ]);
  });

  it('of a mail that may exist is never made', async () => {
    world.provider.answer(() => ({ kind: 'unknown', error: { code: 'no_answer' } }));
    await world.turn();
    await world.db.write
      .updateTable('deliveries')
      .set({ status: 'needs_review', due_at: null, locked_by: null })
      .execute();
    expect(await outcomes()).toEqual(['ana needs_review', 'bob needs_review', 'carol needs_review']);
    const seqs = (await world.rows()).map(({ delivery_seq }) => delivery_seq);
    await world.outbox.perform(seqs, { verb: 'resolved_closed', reason: 'nobody knows', operator: 'olga' });
    expect(await outcomes({ isOperator: true })).toEqual([
      ...['ana mail_may_exist', 'bob mail_may_exist', 'carol mail_may_exist'],
    ]);
    expect(await settle()).toEqual([]);
  });
});
