import { afterEach, beforeEach, expect, it } from 'vitest';
import { createCompany } from '../../src/std/company.ts';
import { createDispatchWorld, type DispatchWorld, leaseMs, signal } from '../support/dispatch-world.ts';
import { onBothDatabases } from '../support/world.ts';

/** Two hands of one process: whoever has a delivery in hand during which workers died is alone in it. */
onBothDatabases('two hands', (dialect) => {
  let world: DispatchWorld;
  beforeEach(async () => {
    world = await createDispatchWorld(dialect);
  });
  afterEach(() => world.close());

  async function killTwice(): Promise<void> {
    for (let death = 1; death <= 2; death++) {
      await world.outbox.claim({ source: 'plain', worker: 'w', limit: 1, leaseMs, from: 'normal' });
      await world.clock.advance(leaseMs);
      await world.sweep().runOnce();
    }
  }

  it.each(['runOnce', 'runThese'] as const)(
    'a suspect waits for what the other has on the wire: %s',
    async (how) => {
      const [suspect] = await world.enqueue(1);
      await killTwice();
      const [other] = await world.enqueue(2);
      const said: string[] = [];
      let answer = () => {};
      const answered = new Promise<void>((resolve) => {
        answer = resolve;
      });
      const nameOf = (key: string) => (world.provider.ledger[0]?.key === key ? 'first' : 'second');
      world.provider.answer(async ({ key }) => {
        said.push(`${nameOf(key)} is on the wire`);
        if (nameOf(key) === 'first') await answered;
        said.push(`${nameOf(key)} is through`);
        return { kind: 'accepted', messageId: key };
      });
      const company = createCompany(world.clock);
      const hands = ['worker-1', 'worker-1/2'].map((worker) => world.dispatch({ company, worker }));
      const take = (hand: number, from: 'normal' | 'suspects', seq = 0) =>
        how === 'runOnce'
          ? hands[hand]?.runOnce(signal())
          : hands[hand]?.runThese({ source: 'plain', from, seqs: [seq] }, signal());
      const first = take(0, how === 'runOnce' ? 'normal' : 'suspects', suspect);
      await until(() => said.length === 1);
      const second = take(1, 'normal', other);
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(said).toEqual(['first is on the wire']);
      answer();
      await Promise.all([first, second]);
      if (said.length === 2) await take(1, 'normal', other);
      expect(said).toEqual([
        'first is on the wire',
        'first is through',
        'second is on the wire',
        'second is through',
      ]);
    },
  );

  const until = async (isSo: () => boolean) => {
    for (let turn = 0; turn < 2_000 && !isSo(); turn++)
      await new Promise((resolve) => setTimeout(resolve, 1));
    expect(isSo()).toBe(true);
  };
});
