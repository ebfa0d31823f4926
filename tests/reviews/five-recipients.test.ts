import { afterEach, beforeEach, expect, it } from 'vitest';
import { explained, tellExplanation } from '../../src/cli/explanation.ts';
import { createPaint } from '../../src/cli/terminal.ts';
import { readSurroundings } from '../../src/dispatch/circumstances.ts';
import { requireAddress } from '../../src/domain/address.ts';
import type { Provider } from '../../src/providers/provider.ts';
import type { FakeResend } from '../support/fake-resend/fake-resend.ts';
import { onBothDatabases } from '../support/world.ts';
import { createReviewWorld, hourMs, type ReviewWorld, tagsOf } from './review-world.ts';

const recipients = [
  { email: 'ana@example.org' },
  { email: 'bob@example.org' },
  { email: 'carol@example.org', required: false },
  { email: 'invalid@example.org' },
  { email: 'soft@example.org' },
];

/** One address is refused by the provider for good, one mail comes back because a mailbox is full: every step of it. */
onBothDatabases('a review with five recipients', (dialect) => {
  let world: ReviewWorld;
  let fake: FakeResend;
  let provider: Provider;
  beforeEach(async () => {
    world = await createReviewWorld(dialect);
    ({ fake, provider } = await world.resend());
  });
  afterEach(() => world.close());

  const rowOf = async (name: string) => {
    const row = (await world.rows()).find(({ recipient }) => recipient === `${name}@example.org`);
    if (!row) throw new Error(`no row of ${name}`);
    return row;
  };
  /** `name: status stage`, for each. */
  const standing = async () =>
    Object.fromEntries(
      (await world.rows()).map(({ recipient, status, stage }) => [
        recipient.split('@')[0],
        status === stage ? status : `${status} ${stage}`,
      ]),
    );
  const mails = () =>
    fake.ledger.accepted.map(({ body }) => String((body as { to: unknown }).to).split('@')[0]).sort();
  const explain = async (name: string) => {
    const { delivery_seq } = await rowOf(name);
    const row = await world.queries.find(String(delivery_seq));
    if (!row) throw new Error('no delivery');
    const surroundings = await readSurroundings(world.db, world.clock, provider.account);
    const around = await surroundings.around({ ...row, address: row.to_email });
    const told = tellExplanation(explained(row, await world.queries.story(row.seq), around), {
      ...{ paint: createPaint(false), columns: 1_000 },
    });
    return told.join(' ').replace(/\s+/g, ' ');
  };
  const refuseInvalid = async () => {
    const { delivery_id } = await rowOf('invalid');
    fake.rules.push({
      match: ({ key, method }) => method === 'POST' && key?.startsWith(delivery_id) === true,
      lie: {
        ...{ kind: 'answer', isAccepted: false, status: 422, name: 'validation_error' },
        message: 'Invalid `to` field: invalid@example.org does not exist.',
      },
    });
  };
  const deadLetters = async () => (await world.reviews.deadLetters({ limit: 10 })).deadLetters;

  it('states, mails and the job are as the specification says at every step, and explain tells the story', async () => {
    const { job } = await world.submit({ recipients });
    const jobId = job.row.job_id;
    const state = () => world.state(jobId);
    const waiting = 'unsent pending';
    expect(await standing()).toEqual({
      ana: waiting,
      bob: waiting,
      carol: waiting,
      invalid: waiting,
      soft: waiting,
    });
    expect([await state(), mails()]).toEqual(['queued', []]);
    expect(await explain('ana')).toContain('Not yet');
    await refuseInvalid();

    // A worker has them in hand.
    const seen: string[] = [];
    const watching: Provider = {
      ...provider,
      async send(parcel) {
        seen.push(`${await state()} ${(await rowOf(parcel.mail.to.split('@')[0] ?? '')).stage}`);
        return provider.send(parcel);
      },
    };
    await world.turn({ provider: watching });
    expect(seen).toHaveLength(5);
    expect(seen.every((one) => one === 'in_progress sending' || one === 'failed sending')).toBe(true);
    expect(seen[0]).toBe('in_progress sending');

    // Four are told. The fifth never will be, and is required.
    expect(await standing()).toEqual({ ...all('sent'), invalid: 'failed failed_permanent' });
    expect([await state(), mails()]).toEqual(['failed', ['ana', 'bob', 'carol', 'soft']]);
    expect(await explain('ana')).toContain('Yes');
    const refused = await explain('invalid');
    expect(refused).toContain('resend refused it for good (Invalid `to` field: [address] does not exist)');
    const [dead, ...others] = await deadLetters();
    expect(others).toEqual([]);
    const at = world.clock.now();
    expect(dead).toMatchObject({
      ...{ jobId, changelistId: 'CL-17', version: 3, recipient: 'invalid@example.org', isRequired: true },
      ...{ errorClass: 'permanent_recipient', code: 'validation_error', step: 'send', asks: 'caller' },
      ...{ stage: 'failed_permanent', failures: 1, firstFailedAt: at, lastFailedAt: at, isEscalated: false },
      context: { message: 'Invalid `to` field: [address] does not exist.', provider: 'resend', attempts: 1 },
    });

    // A mailbox was full: they count as told, and a second mail follows in hours.
    const soft = await rowOf('soft');
    const bounce = { type: 'email.bounced', messageId: soft.notification_id, tags: tagsOf(soft) };
    await world.tell('w-1', { ...bounce, data: { bounce: { type: 'Transient', subType: 'MailboxFull' } } });
    expect(await standing()).toEqual({
      ...{ ...all('sent'), invalid: 'failed failed_permanent', soft: 'sent failed_transient' },
    });
    expect(await rowOf('soft')).toMatchObject({ notified_at: soft.notified_at });
    expect(await state()).toBe('failed');
    expect(await explain('soft')).toContain('bounced: MailboxFull');
    expect(await deadLetters()).toHaveLength(1);

    // The caller says why it should work now; it does not.
    const order = { reason: 'the account was made', by: 'of the API (service key 1)', isOperator: false };
    const { recipients: retried } = await world.reviews.retry(jobId, order);
    expect(retried).toMatchObject([
      { recipient: 'invalid@example.org', isRequeued: true, outcome: 'requeued', stage: 'pending' },
    ]);
    expect(await standing()).toMatchObject({ invalid: 'unsent pending', ana: 'sent' });
    expect(await state()).toBe('in_progress');
    await world.clock.advance(1_000);
    await world.turn({ provider });
    expect([await state(), mails()]).toEqual(['failed', ['ana', 'bob', 'carol', 'soft']]);
    expect(await deadLetters()).toMatchObject([
      {
        isEscalated: true,
        asks: 'operator',
        failures: 2,
        firstFailedAt: at,
        lastFailedAt: world.clock.now(),
      },
    ]);
    await expect(world.reviews.retry(jobId, { ...order, reason: 'again' })).rejects.toMatchObject({
      code: 'escalated',
    });
    for (const { once } of world.reviews.chores) await once(new AbortController().signal);
    const alerts = world.log.lines.filter(({ event }) => event === 'review.escalated');
    expect(alerts).toMatchObject([{ level: 'error', jobId, code: 'validation_error' }]);
    const story = await explain('invalid');
    expect(story).toContain(
      'Operator of the API (service key 1) put it back to be sent: the account was made.',
    );
    expect(story).toContain('refused it for good (attempt 1 of round 2');

    // Hours later: the second mail to the full mailbox, under a key of its own, and it arrives.
    await world.clock.advance(4 * hourMs);
    await world.turn({ provider });
    expect(mails()).toEqual(['ana', 'bob', 'carol', 'soft', 'soft']);
    const again = await rowOf('soft');
    expect(again).toMatchObject({ status: 'sent', stage: 'sent', notified_at: soft.notified_at });
    expect(again.notification_id).not.toBe(soft.notification_id);
    const arrival = { type: 'email.delivered', messageId: again.notification_id, tags: tagsOf(again, 2) };
    await world.tell('w-2', arrival);
    expect(await standing()).toMatchObject({ soft: 'sent delivered' });
    expect(await explain('soft')).toContain('Yes');

    // An operator has seen to it.
    fake.rules.length = 0;
    await world.reviews.retry(jobId, { reason: 'the domain is mended', by: 'olga', isOperator: true });
    await world.turn({ provider });
    expect(await standing()).toEqual({ ...all('sent'), soft: 'sent delivered' });
    expect([await state(), mails()]).toEqual([
      'succeeded',
      ['ana', 'bob', 'carol', 'invalid', 'soft', 'soft'],
    ]);
    expect(await deadLetters()).toEqual([]);
    const { delivery_seq } = await rowOf('invalid');
    expect(await world.storyOf(delivery_seq)).toEqual([
      ...['refused_for_good', 'requeued', 'refused_for_good', 'requeued', 'accepted'],
    ]);
  });

  it('where the one that fails is optional, the job has succeeded all the same', async () => {
    const list = recipients.map((one) => ({ ...one, required: one.email !== 'invalid@example.org' }));
    const { job } = await world.submit({ recipients: list });
    await refuseInvalid();
    await world.turn({ provider });
    expect(await standing()).toEqual({ ...all('sent'), invalid: 'failed failed_permanent' });
    expect(await world.state(job.row.job_id)).toBe('succeeded');
    expect(await deadLetters(), 'it is told of nevertheless').toMatchObject([{ isRequired: false }]);
  });

  it('a bounce for good takes back nobody’s notified_at, and is a dead letter that asks the caller', async () => {
    const { job } = await world.submit({ recipients });
    await world.turn({ provider });
    expect(await world.state(job.row.job_id)).toBe('succeeded');
    const soft = await rowOf('soft');
    const bounce = { type: 'email.bounced', messageId: soft.notification_id, tags: tagsOf(soft) };
    await world.tell('w-1', { ...bounce, data: { bounce: { type: 'Permanent', subType: 'General' } } });
    expect(await standing()).toEqual({ ...all('sent'), soft: 'sent suppressed' });
    expect(await world.state(job.row.job_id)).toBe('succeeded');
    expect(await deadLetters()).toMatchObject([
      {
        recipient: 'soft@example.org',
        errorClass: 'bounced',
        asks: 'caller',
        notifiedAt: expect.any(Number),
      },
    ]);
    const order = { reason: 'try again', by: 'olga', isOperator: true };
    expect((await world.reviews.retry(job.row.job_id, order)).recipients).toMatchObject([
      { isRequeued: false, outcome: 'suppressed', stage: 'suppressed' },
    ]);
    expect(await world.statusOf(soft.delivery_seq)).toBe('suppressed');
    await world.consent.suppressions.lift(requireAddress('soft@example.org'), '*', {
      by: 'olga',
      because: 'the mailbox is back',
    });
    expect((await world.reviews.retry(job.row.job_id, order)).recipients).toMatchObject([
      { isRequeued: true },
    ]);
    await world.turn({ provider });
    expect(await standing()).toEqual(all('sent'));
    expect(await deadLetters()).toEqual([]);
  });

  it('whoever complains has been told, and is no dead letter; whoever has left is one, which nobody can override', async () => {
    await world.submit({ recipients });
    await world.turn({ provider });
    const ana = await rowOf('ana');
    const complaint = { type: 'email.complained', messageId: ana.notification_id, tags: tagsOf(ana) };
    await world.tell('w-1', complaint);
    expect(await deadLetters()).toEqual([]);
    const [link = ''] = (
      await world.consent.unsubscribe.linksFor([
        { seq: 1, source: 'code-reviews', recipient: 'bob@example.org' },
      ])
    ).values();
    await world.consent.unsubscribe.stop(link.slice(link.lastIndexOf('/') + 1), 'page');
    const next = await world.submit({ idempotency_key: 'k4', review_version: 4, rerun: true, recipients });
    await world.turn({ provider });
    expect(await world.state(next.job.row.job_id)).toBe('failed');
    expect(await deadLetters()).toMatchObject([
      { version: 4, recipient: 'bob@example.org', errorClass: 'unsubscribed', asks: 'caller' },
      { version: 4, recipient: 'ana@example.org', errorClass: 'suppressed', asks: 'operator' },
    ]);
    const order = { reason: 'they must hear', by: 'olga', isOperator: true };
    const { recipients: retried } = await world.reviews.retry(next.job.row.job_id, order);
    expect(retried.map(({ recipient, outcome }) => [recipient, outcome])).toEqual([
      ['ana@example.org', 'suppressed'],
      ['bob@example.org', 'unsubscribed'],
    ]);
  });
});

const all = (status: string) => ({ ana: status, bob: status, carol: status, invalid: status, soft: status });
