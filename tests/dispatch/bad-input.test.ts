import { afterEach, beforeEach, expect, it } from 'vitest';
import { plainSource } from '../../src/sources/plain/plain.ts';
import type { Source } from '../../src/sources/source.ts';
import { createDispatchWorld, type DispatchWorld, signal } from '../support/dispatch-world.ts';
import { intentNumber, onBothDatabases } from '../support/world.ts';

onBothDatabases('what cannot be sent as it is', (dialect) => {
  let world: DispatchWorld;
  beforeEach(async () => {
    world = await createDispatchWorld(dialect);
  });
  afterEach(() => world.close());

  it('a delivery that cannot be composed ends with its code, and the rest of its batch goes on', async () => {
    const bad = { variables: { subject: 'No text' } };
    await world.outbox.enqueue([
      intentNumber(1),
      intentNumber(2, bad),
      intentNumber(4, { templateName: 'none' }),
    ]);
    const { toEmail: _, ...withoutAddress } = intentNumber(3);
    await world.outbox.enqueue([withoutAddress]);
    await world.outbox.enqueue([
      intentNumber(5, { variables: { subject: 'a\r\nBcc: all@example.org', text: 'x' } }),
      intentNumber(6, { locale: 'fr' }),
    ]);
    await world.dispatch().runOnce(signal());
    const rows = await world.queries.search({ limit: 10 });
    const ends = Object.fromEntries(
      rows.map((row) => [row.occasion, [row.status, row.last_error && JSON.parse(row.last_error).code]]),
    );
    expect(ends).toEqual({
      'occasion-1': ['sent', null],
      'occasion-2': ['failed_permanent', 'missing_variable'],
      'occasion-3': ['skipped_no_email', 'no_address'],
      'occasion-4': ['failed_permanent', 'missing_template'],
      'occasion-5': ['failed_permanent', 'invalid_variable'],
      'occasion-6': ['failed_permanent', 'missing_locale'],
    });
    expect(world.provider.ledger).toHaveLength(1);
  });

  it('a source that cannot draft one delivery holds back that one alone, and loses none', async () => {
    const [, poison] = await world.enqueue(1, 2, 3);
    const source: Source = {
      ...plainSource,
      draft: async (batch) => {
        if (batch.some(({ seq }) => seq === poison)) throw new Error('no such course');
        return plainSource.draft(batch);
      },
    };
    await world.dispatch({ source }).runOnce(signal());
    expect(await world.statusesOf()).toEqual({ sent: 2, pending: 1 });
    expect(await world.find(poison)).toMatchObject({
      attempts: 0,
      lapses: 0,
      due_at: world.clock.now() + 30_000,
    });
    expect(JSON.parse((await world.find(poison))?.last_error ?? '')).toMatchObject({ code: 'draft_failed' });
    await world.clock.advance(30_000);
    await world.dispatch().runOnce(signal());
    expect(await world.statusesOf()).toEqual({ sent: 3 });
  });

  it('what is found wrong with a mail when it is made ends that mail with its own code, and no other', async () => {
    const half = '"'.repeat(200_000);
    const [thrown, tooBig, missing, badAddress, otherAddress, nul, unanswered, good] = (
      await world.outbox.enqueue([
        intentNumber(1),
        // Twice in the mail, as text and as html, where each quote is five signs long: over 1 MiB.
        intentNumber(2, { variables: { subject: 's', text: half } }),
        intentNumber(3, { variables: { text: 'no subject' } }),
        intentNumber(4),
        intentNumber(5),
        intentNumber(6, { variables: { subject: 's', text: 'a\u0000b' } }),
        intentNumber(7),
        intentNumber(8),
      ])
    ).map(({ seq }) => seq);
    // An address that was good when it was enqueued: imported, or changed since by hand.
    await world.db.write
      .updateTable('deliveries')
      .set({ to_email: 'nobody at all' })
      .where('seq', '=', badAddress ?? 0)
      .execute();
    const source: Source = {
      ...plainSource,
      async draft(batch) {
        const drafts = new Map(await plainSource.draft(batch));
        const change = (seq: number | undefined, more: object) => {
          const draft = drafts.get(seq ?? 0);
          if (draft?.kind === 'draft') drafts.set(seq ?? 0, { ...draft, ...more });
        };
        const props = {
          subject: 's',
          get text(): string {
            throw new Error('a template that throws');
          },
        };
        change(thrown, { props });
        change(otherAddress, { to: 'Somebody <somebody@example.org>' });
        drafts.delete(unanswered ?? 0);
        return drafts;
      },
    };
    await world.dispatch({ source }).runOnce(signal());
    const endOf = async (seq: number | undefined) => {
      const row = await world.find(seq);
      return [row?.status, JSON.parse(row?.last_error ?? '{}').code];
    };
    expect(await endOf(thrown)).toEqual(['failed_permanent', 'template_failed']);
    expect(await endOf(tooBig)).toEqual(['failed_permanent', 'body_too_big']);
    expect(await endOf(missing)).toEqual(['failed_permanent', 'missing_variable']);
    expect(await endOf(badAddress)).toEqual(['failed_permanent', 'invalid_recipient']);
    expect(await endOf(otherAddress)).toEqual(['failed_permanent', 'to_invalid']);
    expect(await endOf(nul)).toEqual(['failed_permanent', 'invalid_variable']);
    expect(await endOf(unanswered)).toEqual(['failed_permanent', 'no_draft']);
    expect(await endOf(good)).toEqual(['sent', undefined]);
    expect(world.provider.ledger).toHaveLength(1);
  });
});
