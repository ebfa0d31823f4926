import { afterEach, beforeEach, expect, it } from 'vitest';
import { unsubscribePath } from '../../src/consent/unsubscribe.ts';
import type { Outbox } from '../../src/outbox/outbox.ts';
import { addressOf, monthly } from '../newsletters/civic-world.ts';
import { baseUrl } from '../support/consent.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { onBothDatabases } from '../support/world.ts';
import { by, type CivicContract, createCivicContract } from './civic-contract-world.ts';

/** Spec 002, phase 5: the workers. Which queue they are fed by is another matter: what they do is done here. */
onBothDatabases('002 phase 5: workers', (dialect) => {
  let world: CivicContract;
  beforeEach(async () => {
    world = await createCivicContract(dialect);
  });
  afterEach(() => world.close());

  const runs = () => world.newsletters.runs.list({ limit: 20 });
  const refused = (kind: 'refused_for_now' | 'refused_for_good', message: string) => () => ({
    ...{ kind, error: { code: 'some_code', message } },
  });
  const nowText = () => new Date(world.clock.now()).toISOString();

  it('002-P5-03 The collect job id is `collect:{notificationType}:{periodKey}`: an accidental double trigger is deduplicated', async () => {
    await world.followAll(3);
    const other = world.another();
    const order = { notificationType: monthly };
    const answers = await Promise.all([
      ...[world.trigger(), world.trigger(), other.runs.trigger(order, by), other.runs.trigger(order, by)],
    ]);
    expect(answers.filter(({ collectJobEnqueued }) => collectJobEnqueued)).toHaveLength(1);
    // 8.14: with dashes.
    expect(await runs()).toMatchObject([{ dedupe_key: `collect-${monthly}-2026-10`, eligible_count: 3 }]);
    await world.settle();
    // Long after, too; and of another type or period it is another.
    await world.clock.advance(86_400_000);
    expect((await world.trigger()).collectJobEnqueued).toBe(false);
    const others = [{ periodKey: '2026-09' }, { notificationType: 'newsletter_entity_yearly' }];
    for (const another of others) expect((await world.trigger(another)).collectJobEnqueued).toBe(true);
    expect(world.provider.ledger).toHaveLength(3);
  });

  it('002-P5-04 With `force=true` the job id also contains the run id: an intentional re-run is accepted', async () => {
    await world.followAll(2);
    const first = await world.trigger();
    const forced = await Promise.all([world.trigger({ force: true }), world.trigger({ force: true })]);
    expect(forced.map(({ collectJobEnqueued }) => collectJobEnqueued)).toEqual([true, true]);
    const ids = [first, ...forced].map(({ runId }) => runId);
    expect((await runs()).map(({ run_id }) => run_id).sort()).toEqual([...ids].sort());
    await world.settle();
    // 8.20: all three runs have looked, and each was told once.
    expect(world.provider.ledger).toHaveLength(2);
    expect((await runs()).map(({ status }) => status)).toEqual(['finished', 'finished', 'finished']);
  });

  it('002-P5-05 The send worker claims first; when the claim returns nothing it logs at info and returns without sending', async () => {
    await world.composed();
    const log = createRecordingLog();
    // While it was about to send, its time was over, and another has taken the delivery and sent it.
    const slow: Outbox = {
      ...world.outbox,
      async begin(batch, order) {
        await world.clock.advance(15 * 60_000);
        await world.sweep();
        await world.turn({ name: 'another' });
        return world.outbox.begin(batch, order);
      },
    };
    await world.turn({ outbox: slow, log });
    expect(world.provider.ledger).toHaveLength(1);
    const told = log.lines.filter(({ event }) => event === 'delivery.stopped');
    expect(told).toMatchObject([{ level: 'info', status: 'sent' }]);
    // One that finds nothing to claim asks nobody anything.
    await world.turn();
    expect(world.provider.ledger).toHaveLength(1);
    expect(await world.record()).toMatchObject({ status: 'sent', attempt_count: 2 });
  });

  it('002-P5-06 The user’s email is fetched at send time', async () => {
    const [composed] = await world.composed();
    expect(composed?.to_email).toBeNull();
    world.answers.set('user-1', { kind: 'address', address: addressOf('moved-house') });
    await world.turn();
    expect(world.provider.ledger.map(({ mail }) => mail.to)).toEqual([addressOf('moved-house')]);
  });

  it('002-P5-07 No email → `skipped_no_email`, nothing sent', async () => {
    await world.composed(2);
    world.answers.set('user-1', { kind: 'none', code: 'no_verified_address', message: 'None is verified.' });
    await world.settle();
    const [without, other] = await world.records();
    expect(without).toMatchObject({ status: 'skipped_no_email', to_email: null, sent_at: null });
    expect(other).toMatchObject({ status: 'sent' });
    expect(world.provider.ledger.map(({ mail }) => mail.to)).toEqual([addressOf('user-2')]);
  });

  it('002-P5-08 The unsubscribe URL is `{PLATFORM_BASE_URL}/api/v1/notifications/unsubscribe/{token}`, from the token referenced at compose time', async () => {
    const [composed] = await world.composed();
    await world.turn();
    const [mail] = world.provider.ledger.map((parcel) => parcel.mail);
    const header = mail?.headers['List-Unsubscribe'] ?? '';
    const start = `<${baseUrl}${unsubscribePath}/`;
    expect(header.startsWith(start) && header.endsWith('>')).toBe(true);
    const token = header.slice(start.length, -1);
    // 8.17: the id that is kept, and a signature that is not.
    expect(token.startsWith(composed?.unsubscribe_token_id ?? '?')).toBe(true);
    expect(token).not.toBe(composed?.unsubscribe_token_id);
    for (const body of [composed?.rendered_html, composed?.rendered_text, mail?.html, mail?.text])
      expect(body).toContain(header.slice(1, -1));
    await world.consent.unsubscribe.stop(token, 'one-click');
    expect(
      await world.newsletters.notifications.find('user-1', composed?.notification_id ?? ''),
    ).toMatchObject({
      isActive: false,
    });
  });

  it('002-P5-09 Accepted → `sent` with `resend_email_id`, `to_email`, `sent_at`', async () => {
    await world.composed();
    await world.clock.advance(1_234);
    const { fake, provider } = await world.resend();
    await world.turn({ provider });
    expect(await world.record()).toMatchObject({
      ...{ status: 'sent', resend_email_id: fake.ledger.accepted[0]?.id, to_email: addressOf('user-1') },
      ...{ sent_at: nowText(), last_error: null },
    });
    expect(fake.ledger.accepted[0]?.id).toEqual(expect.any(String));
  });

  it('002-P5-10 Transient error → `failed_transient` with `last_error`, and the job is retried', async () => {
    await world.composed();
    const seen: unknown[] = [];
    for (let attempt = 1; attempt <= 3; attempt++) {
      world.provider.answer(refused('refused_for_now', `no, for the ${attempt}. time`));
      await world.turn();
      const { status, last_error, attempt_count } = await world.record();
      seen.push([status, last_error, attempt_count]);
      // Not at once: five seconds and doubling, spread.
      await world.turn();
      expect(world.provider.ledger).toHaveLength(attempt);
      await world.clock.advance(20_000);
    }
    expect(seen).toEqual([
      ['failed_transient', 'no, for the 1. time', 1],
      ['failed_transient', 'no, for the 2. time', 2],
      ['failed_permanent', 'no, for the 3. time', 3],
    ]);
    await world.settle();
    expect(world.provider.ledger).toHaveLength(3);
  });

  it('002-P5-11 Any other error → `failed_permanent` with `last_error`, and the job is not retried', async () => {
    await world.composed();
    const { fake, provider } = await world.resend();
    const lie = { kind: 'answer', isAccepted: false, status: 422, name: 'validation_error' } as const;
    fake.lieOnce({ ...lie, message: 'Invalid `to` field' });
    await world.turn({ provider });
    const failed = await world.record();
    expect(failed).toMatchObject({
      status: 'failed_permanent',
      last_error: 'Invalid `to` field',
      sent_at: null,
    });
    await world.clock.advance(7 * 86_400_000);
    await world.sweep();
    await world.turn({ provider });
    expect(fake.ledger.submissions()).toHaveLength(1);
    expect(await world.record()).toEqual(failed);
  });
});
