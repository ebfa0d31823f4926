import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Consent } from '../../src/consent/consent.ts';
import type { DialectName } from '../../src/db/dialect.ts';
import { gateOf } from '../../src/dispatch/gate.ts';
import { type Address, requireAddress } from '../../src/domain/address.ts';
import type { Intent } from '../../src/domain/delivery.ts';
import type { Claimed } from '../../src/outbox/claim.ts';
import { plainSource } from '../../src/sources/plain/plain.ts';
import { createSeededRandom, integerBelow, type Random } from '../../src/std/random.ts';
import { consentOf } from '../support/consent.ts';
import { mailTo } from '../support/mails.ts';
import { createWorld, onBothDatabases, type World } from '../support/world.ts';

/**
 * Somebody says no while their mails are being claimed and begun. Whatever order the two come in, no send that begins after
 * the commit goes out. Two connections, real transactions, and the refusal begins between any two of the sender's steps.
 */
/** On PostgreSQL a round takes eight times as long; `TIDINGS_FUZZ_RUNS=4` runs as many there. */
const roundsOn = (dialect: DialectName) =>
  dialect === 'sqlite'
    ? 1_000
    : Math.min(1_000, 250 * Math.max(1, Number(process.env.TIDINGS_FUZZ_RUNS) || 1));

onBothDatabases('an unsubscribe that commits while a batch is claimed and begun', (dialect) => {
  const rounds = roundsOn(dialect);
  let world: World;
  let consent: Consent;
  beforeAll(async () => {
    world = await createWorld(dialect);
    consent = consentOf(world);
  });
  afterAll(() => world.close());

  it(`no send that begins after the commit goes out, in ${rounds} rounds`, { timeout: 240_000 }, async () => {
    const random = createSeededRandom(5);
    const seen = { sentBefore: 0, beganAfter: 0, stoppedWhileClaimed: 0, stoppedByTheGate: 0 };
    for (let round = 0; round < rounds; round++) await race(round, random, seen);
    const sent = await world.queries.counts();
    // Nothing of the race was idle: each way to end was taken many times, and whatever did not leave is at its end.
    for (const [way, times] of Object.entries(seen)) expect([way, times > rounds / 20]).toEqual([way, true]);
    expect(sent.map(({ status }) => status).sort()).toEqual([
      'sending',
      'skipped_unsubscribed',
      'suppressed',
    ]);
  });

  async function race(round: number, random: Random, seen: Record<string, number>): Promise<void> {
    const recipient = `person-${round}@example.org`;
    const address = requireAddress(recipient);
    const intents = [1, 2].map((number): Intent => intentTo(recipient, `${round}/${number}`));
    const [first] = await world.outbox.enqueue(intents);
    const links = await consent.unsubscribe.linksFor([{ seq: first?.seq ?? 0, source: 'plain', recipient }]);
    const token = [...links.values()][0]?.split('/').at(-1) ?? '';
    let isCommitted = false;
    let refusal: Promise<void> | undefined;
    let stepsUntilRefusal = integerBelow(random, 9);

    const refuse = async () => {
      if (round % 2 === 0) await consent.unsubscribe.stop(token, 'one-click');
      else await consent.suppressions.add([{ address, reason: 'operator' }], 'an operator');
      isCommitted = true;
    };
    /** Between any two of the sender's steps the other begins; now and then the sender is slow, and finds it done. */
    const step = async () => {
      if (stepsUntilRefusal-- === 0) refusal = refuse();
      if (refusal && integerBelow(random, 3) === 0) await refusal;
    };
    const send = async (claims: number) => {
      for (let claim = 0; claim < claims; claim++) {
        await step();
        if (claim === 2) await world.outbox.enqueue([intentTo(recipient, `${round}/late`)]);
        await step();
        const order = { source: 'plain', worker: 'w', limit: 1, leaseMs: 60_000, from: 'normal' } as const;
        const [claimed] = await world.outbox.claim(order);
        await step();
        if (claimed) await begin(claimed, address);
      }
    };
    const begin = async (claimed: Claimed, to: Address) => {
      const startsAfter = isCommitted;
      const { sending, stopped } = await world.outbox.begin([{ claimed, mail: mailTo(round, { to }) }], {
        ...{ worker: 'w', account: 'capture', keyWindowMs: null },
        lastCheck: gateOf(plainSource, consent, world.clock),
      });
      if (startsAfter) expect(sending, `round ${round} sent after the commit`).toEqual([]);
      if (startsAfter) seen.beganAfter = (seen.beganAfter ?? 0) + 1;
      if (sending.length > 0) seen.sentBefore = (seen.sentBefore ?? 0) + 1;
      const way = stopped.some(({ changed }) => changed) ? 'stoppedByTheGate' : 'stoppedWhileClaimed';
      if (stopped.length > 0) seen[way] = (seen[way] ?? 0) + 1;
    };
    await send(3);
    await refusal;
    // Whatever has come to wait since.
    await send(1);
  }
});

function intentTo(recipient: string, occasion: string): Intent {
  const variables = { subject: 'Subject', text: 'Text' };
  return { source: 'plain', occasion, recipient, toEmail: recipient, lane: 'normal', variables };
}
