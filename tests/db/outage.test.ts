import { expect, test } from 'vitest';
import { createOutage } from '../../src/db/outage.ts';
import { createRecordingLog } from '../support/recording-log.ts';

test('an outage is told once when it begins and once when it is over, whoever meets it', () => {
  const log = createRecordingLog();
  let now = 1_000;
  const outage = createOutage({ clock: { monotonic: () => now }, log });
  outage.isOver();
  expect(outage.isIt(new Error('a mistake of ours'))).toBe(false);
  expect(log.lines).toEqual([]);
  const refused = Object.assign(new Error(''), { code: 'ECONNREFUSED' });
  expect([outage.isIt(refused), outage.isIt(refused)]).toEqual([true, true]);
  now += 6_000;
  outage.isOver();
  outage.isOver();
  expect(outage.isIt(new Error('Connection terminated unexpectedly'))).toBe(true);
  expect(log.lines).toMatchObject([
    { event: 'database.away', problem: 'ECONNREFUSED' },
    { event: 'database.back', awayMs: 6_000 },
    { event: 'database.away', problem: 'Connection terminated unexpectedly' },
  ]);
});
