import { afterEach, beforeEach, expect, it } from 'vitest';
import { explained } from '../../src/cli/explanation.ts';
import type { Consent } from '../../src/consent/consent.ts';
import { readSurroundings } from '../../src/dispatch/circumstances.ts';
import { gateOf } from '../../src/dispatch/gate.ts';
import { requireAddress } from '../../src/domain/address.ts';
import { resumeDeliveries } from '../../src/outbox/stop.ts';
import { plainSource } from '../../src/sources/plain/plain.ts';
import type { Draft, Source } from '../../src/sources/source.ts';
import { systemClock } from '../../src/std/clock.ts';
import { silentLog } from '../../src/std/log.ts';
import { consentOf } from '../support/consent.ts';
import { createDispatchWorld, type DispatchWorld, signal } from '../support/dispatch-world.ts';
import { mailTo } from '../support/mails.ts';
import { intentNumber, onBothDatabases } from '../support/world.ts';

/** Taking back an unsubscribe is no order to send: what waits again is what waited, and nothing of it is lost. */
onBothDatabases('an unsubscribe that is taken back', (dialect) => {
  let world: DispatchWorld;
  let consent: Consent;
  let token: string;
  const address = requireAddress('person-1@example.org');
  const claimOrder = { source: 'plain', worker: 'w', limit: 1, leaseMs: 60_000, from: 'normal' } as const;
  const beginning = { worker: 'w', account: 'capture', keyWindowMs: 86_400_000 };
  beforeEach(async () => {
    world = await createDispatchWorld(dialect);
    consent = consentOf(world);
    const owner = { seq: 1, source: 'plain', recipient: address as string };
    token = [...(await consent.unsubscribe.linksFor([owner])).values()][0]?.split('/').at(-1) ?? '';
  });
  afterEach(() => world.close());

  const rows = () => world.db.read.selectFrom('deliveries').selectAll().orderBy('seq').execute();

  it('what was for next week is for next week', async () => {
    const dueAt = world.clock.now() + 7 * 86_400_000;
    await world.outbox.enqueue([intentNumber(1, { dueAt })]);
    await consent.unsubscribe.stop(token, 'page');
    await consent.unsubscribe.undo(token);
    await world.dispatch().runOnce(signal());
    expect(await rows()).toMatchObject([{ status: 'pending', due_at: dueAt }]);
    expect(world.provider.ledger).toEqual([]);
  });

  it('a mail that a look-up did not find keeps its key: if it was accepted after all, there is one of it', async () => {
    await world.outbox.enqueue([intentNumber(1)]);
    const [claimed] = await world.outbox.claim(claimOrder);
    if (!claimed) throw new Error('not claimed');
    const batch = [{ claimed, mail: mailTo(1) }];
    await world.outbox.begin(batch, { ...beginning, lastCheck: async () => new Map() });
    const { seq, lease } = claimed;
    const now = world.clock.now();
    await world.outbox.record([{ seq, lease, actor: 'w', event: 'outcome_unknown', dueAt: now }]);
    const [doubted] = await world.outbox.takeUp({ worker: 'r', limit: 1, leaseMs: 60_000 });
    const absent = {
      seq,
      lease: doubted?.lease ?? 0,
      actor: 'r',
      event: 'not_at_provider',
      dueAt: now,
    } as const;
    await world.outbox.record([absent]);
    await consent.unsubscribe.stop(token, 'page');
    await consent.unsubscribe.undo(token);
    expect(await rows()).toMatchObject([{ status: 'pending', evidence: 4, round: 1, attempts: 1 }]);
    const late = { seq, actor: 'webhook', event: 'accepted', round: 1, at: now, messageId: 'm1' } as const;
    await world.outbox.record([late]);
    await world.dispatch().runOnce(signal());
    expect(await rows()).toMatchObject([{ status: 'sent', evidence: 5, round: 1 }]);
    expect(world.provider.ledger).toEqual([]);
  });

  const dayMs = 86_400_000;
  const forget = () => world.outbox.forget({ before: world.clock.now() - 7 * dayMs, above: 0, limit: 9 });
  /** Its mail was refused for now, and then it was left alone for longer than mails are kept. */
  async function stopLate() {
    await world.outbox.enqueue([intentNumber(1)]);
    const [claimed] = await world.outbox.claim(claimOrder);
    if (!claimed) throw new Error('not claimed');
    const frozen = mailTo(1);
    const batch = [{ claimed, mail: frozen }];
    await world.outbox.begin(batch, { ...beginning, lastCheck: async () => new Map() });
    const { seq, lease } = claimed;
    const refusal = { seq, lease, actor: 'w', event: 'refused_for_now' } as const;
    await world.outbox.record([{ ...refusal, dueAt: world.clock.now() }]);
    await world.clock.advance(8 * dayMs);
    await consent.unsubscribe.stop(token, 'page');
    return { seq, frozen, stoppedAt: world.clock.now() };
  }

  it('seed 56510: until that is too late, retention takes nothing of what would leave as it was frozen', async () => {
    const { seq, frozen } = await stopLate();
    await world.clock.advance(dayMs);
    expect(await forget()).toMatchObject({ count: 0 });
    await consent.unsubscribe.undo(token);
    await world.dispatch().runOnce(signal());
    expect(world.provider.ledger).toMatchObject([{ mail: frozen }]);
    expect(await rows()).toMatchObject([{ seq, status: 'sent', round: 1, attempts: 2 }]);
  });

  it('seed 98030: what is forgotten is not brought back, because nobody has what may have left before', async () => {
    const { seq, stoppedAt } = await stopLate();
    await world.clock.advance(dayMs + 1);
    expect(await forget()).toMatchObject({ count: 1 });
    const order = { whose: { source: 'plain', recipient: address }, since: stoppedAt, actor: 'a test' };
    const parts = { dialect, log: silentLog };
    const resumed = await world.db.transaction((tx) => resumeDeliveries(tx, order, world.clock.now(), parts));
    expect(resumed).toBe(0);
    expect(await rows()).toMatchObject([{ seq, status: 'skipped_unsubscribed' }]);
  });

  it('finds also what was stopped when only its source knew the address', async () => {
    const draft: Draft = {
      ...{ kind: 'draft', to: address, template: 'plain', locale: null },
      props: { subject: 'Subject', text: 'Text' },
    };
    const source: Source = {
      ...plainSource,
      draft: async (batch) => new Map(batch.map(({ seq }) => [seq, draft])),
    };
    const { toEmail: _, ...unaddressed } = intentNumber(2, { recipient: 'user-7' });
    await world.outbox.enqueue([intentNumber(1), unaddressed]);
    await consent.unsubscribe.stopEverything(token);
    await world.dispatch({ source }).runOnce(signal());
    expect(await rows()).toMatchObject([
      { status: 'skipped_unsubscribed' },
      { status: 'skipped_unsubscribed', to_email: address },
    ]);
    await consent.unsubscribe.undo(token);
    expect(await rows()).toMatchObject([{ status: 'pending' }, { status: 'pending' }]);
  });

  it.each([
    ['stop', 0, 'pending'],
    ['stop', 1, 'skipped_unsubscribed'],
    ['stopEverything', 0, 'pending'],
    ['stopEverything', 1, 'skipped_unsubscribed'],
  ] as const)(
    '%s, and a day and %i ms later: explain promises what undo does: %s',
    async (way, lateMs, status) => {
      await world.outbox.enqueue([intentNumber(1)]);
      const { stop, stopEverything } = consent.unsubscribe;
      await (way === 'stop' ? stop(token, 'page') : stopEverything(token));
      await world.clock.advance(86_400_000 + lateMs);
      const [row] = await rows();
      if (!row) throw new Error('not enqueued');
      const surroundings = await readSurroundings(world.db, world.clock, 'capture');
      const around = await surroundings.around({ ...row, address: row.to_email });
      const { sentence } = explained(row, await world.queries.story(row.seq), around).explanation;
      expect(sentence).toMatch(status === 'pending' ? /^No, as it stands: / : /^No, and it will not come: /);
      await consent.unsubscribe.undo(token);
      expect(await rows()).toMatchObject([{ status }]);
    },
  );

  it('leaves a line that was on the list before', async () => {
    await world.outbox.enqueue([intentNumber(1)]);
    await consent.suppressions.add([{ address, reason: 'unsubscribed' }], 'an import');
    await consent.unsubscribe.stopEverything(token);
    await consent.unsubscribe.undo(token);
    expect(await consent.suppressions.list({ limit: 9 })).toMatchObject([{ created_by: 'an import' }]);
  });

  it('an operator who lifts what others said leaves what the recipient said, unless it is named', async () => {
    await consent.suppressions.add([{ address, reason: 'operator' }], 'x');
    await consent.suppressions.add([{ address, reason: 'unsubscribed' }], 'x');
    const order = { by: 'x', because: 'the mailbox is back' };
    expect(await consent.suppressions.lift(address, '*', order)).toBe(true);
    expect(await consent.suppressions.list({ limit: 9 })).toMatchObject([{ reason: 'unsubscribed' }]);
    expect(await consent.suppressions.lift(address, '*', order)).toBe(false);
    expect(await consent.suppressions.lift(address, '*', { ...order, isTheirOwn: true })).toBe(true);
    expect(await consent.suppressions.list({ limit: 9 })).toEqual([]);
  });

  if (dialect === 'sqlite') return; // Its writer is alone; what follows is about two at once.

  it('waits for a send that is being stopped at that moment, and brings it back', async () => {
    await world.outbox.enqueue([intentNumber(1)]);
    const [claimed] = await world.outbox.claim(claimOrder);
    if (!claimed) throw new Error('not claimed');
    await world.db.write
      .updateTable('unsubscribe_tokens')
      .set({ unsubscribed_at: world.clock.now(), unsubscribed_via: 'page' })
      .execute();
    const gate = gateOf(plainSource, consent, world.clock);
    let undone: Promise<void> | undefined;
    await world.outbox.begin([{ claimed, mail: mailTo(1) }], {
      ...beginning,
      lastCheck: async (batch, tx) => {
        const verdicts = await gate(batch, tx);
        undone = consent.unsubscribe.undo(token);
        // Long enough for it to be done, were it not waiting for us.
        await Promise.race([undone, systemClock.sleep(300)]);
        return verdicts;
      },
    });
    await undone;
    expect(await rows()).toMatchObject([{ status: 'pending' }]);
  });

  it('waits for a row that somebody holds', async () => {
    await world.outbox.enqueue([intentNumber(1)]);
    await consent.unsubscribe.stop(token, 'page');
    let undone: Promise<void> | undefined;
    await world.db.transaction(async (tx) => {
      await tx.selectFrom('deliveries').selectAll().forUpdate().execute();
      undone = consent.unsubscribe.undo(token);
      await Promise.race([undone, systemClock.sleep(300)]);
    });
    await undone;
    expect(await rows()).toMatchObject([{ status: 'pending' }]);
  });
});
