import { beforeEach, describe, expect, test } from 'vitest';
import type { Address } from '../../src/domain/address.ts';
import { onBothDatabases } from '../support/world.ts';
import { worldForEach } from '../support/world-for-each.ts';
import { createWatchWorld, told } from './watch-world.ts';

onBothDatabases('the owner of a link', (dialect) => {
  const world = worldForEach(() => createWatchWorld(dialect));
  beforeEach(async () => {
    await world.believe('Closed');
  });

  describe('whose address bounced', () => {
    const ana = 'ana@example.org' as Address;
    const bounced = async () => {
      const made = await world.confirmed();
      await world.consent.suppressions.add([{ address: ana, reason: 'bounced_for_good' }], 'evidence');
      await world.setCells(made.subscriptionId, { status: 'suppressed' });
      return made;
    };
    const lift = () => world.consent.suppressions.lift(ana, '*', { by: 'op', because: 'mended' });

    test('no link makes the address good while the line stands', async () => {
      const { token } = await bounced();
      for (const step of ['confirm', 'pause', 'resume'] as const)
        expect(await world.subscriptions[step](token)).toMatchObject({ kind: 'refused', code: 'suppressed' });
      expect(await world.watch()).toMatchObject({ kind: 'existing', status: 'suppressed' });
      expect(await world.mails()).toHaveLength(1);
    });

    test('goes on when it is lifted: they are asked once more, and their answer begins it', async () => {
      const { token, subscriptionId } = await bounced();
      await lift();
      expect(told(await world.subscriptions.resume(token))).toBe('changed');
      expect(await world.subscription(subscriptionId)).toMatchObject({
        status: 'pending',
        verified_at: null,
      });
      expect((await world.mails()).at(-1)).toBe(`course-seats-verification ${subscriptionId}-2 pending`);
      expect(told(await world.subscriptions.confirm(token))).toBe('changed');
      expect((await world.subscriptions.find(token))?.status).toBe('active');
    });

    test('is not asked once more by whoever asks for it all day', async () => {
      const { token } = await bounced();
      await lift();
      const strict = world.subscriptionsWith({ limits: { verificationsPerDay: 0 } });
      expect(await strict.resume(token)).toMatchObject({ kind: 'refused', code: 'asked_too_often' });
      expect((await world.subscriptions.find(token))?.status).toBe('suppressed');
    });

    test('or asks for the section anew', async () => {
      const { subscriptionId } = await bounced();
      await lift();
      expect(await world.watch()).toMatchObject({ kind: 'existing', subscriptionId, status: 'pending' });
      expect(await world.subscription(subscriptionId)).toMatchObject({
        status: 'pending',
        verified_at: null,
      });
      expect((await world.mails()).at(-1)).toBe(`course-seats-verification ${subscriptionId}-2 pending`);
      expect((await world.eventsOf(subscriptionId)).slice(-2)).toEqual([
        ...['resumed Closed', 'verification_sent Closed'],
      ]);
    });

    test('or follows the link of a mail that was sent again', async () => {
      const { token } = await bounced();
      await lift();
      expect(told(await world.subscriptions.confirm(token))).toBe('changed');
      expect((await world.subscriptions.find(token))?.status).toBe('active');
    });

    test('and is asked nothing where nobody is', async () => {
      const { token } = await bounced();
      await lift();
      const trusting = world.subscriptionsWith({ verifiesAddresses: false });
      await trusting.resume(token);
      expect((await trusting.find(token))?.status).toBe('active');
      await world.setCells(1, { status: 'suppressed' });
      expect(await world.watch({}, trusting)).toMatchObject({ kind: 'existing', status: 'active' });
      expect(await world.mails()).toHaveLength(1);
    });
  });
});
