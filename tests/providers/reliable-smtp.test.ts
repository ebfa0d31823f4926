import { expect, it } from 'vitest';
import { createReliable } from '../../src/providers/reliable.ts';
import { systemClock } from '../../src/std/clock.ts';
import { createSeededRandom } from '../../src/std/random.ts';
import { parcelOf, smtpWorlds } from '../support/fake-smtp/smtp-world.ts';

const createWorld = smtpWorlds();
const backOff = { kind: 'list', delaysMs: [1] } as const;

it('000-81 a connection that is lost before the mail has ended is tried again, and there is one mail', async () => {
  const { fake, smtp } = await createWorld();
  const reliable = createReliable(smtp, { clock: systemClock, random: createSeededRandom(1), backOff });
  fake.lie({ data: 'drop' });
  const sending = reliable.send(parcelOf(1));
  await expect.poll(() => fake.commands.length, { interval: 1 }).toBeGreaterThan(2);
  fake.lie({});
  expect(await sending).toMatchObject({ kind: 'accepted' });
  expect((await sending).attempts.length).toBeGreaterThan(1);
  expect(fake.ledger).toHaveLength(1);
});

it('a connection that is lost after the final dot is not tried again', async () => {
  const { fake, smtp } = await createWorld();
  const reliable = createReliable(smtp, { clock: systemClock, random: createSeededRandom(1), backOff });
  fake.lie({ afterDot: 'accept_and_drop' });
  expect(await reliable.send(parcelOf(1))).toMatchObject({ kind: 'unknown', attempts: [{}] });
  expect(fake.ledger).toHaveLength(1);
  expect(fake.commands.filter((command) => command.startsWith('MAIL'))).toHaveLength(1);
});
