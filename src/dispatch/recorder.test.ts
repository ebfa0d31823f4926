import { expect, test } from 'vitest';
import type { Outbox } from '../outbox/outbox.ts';
import type { Report } from '../outbox/record.ts';
import { type Clock, createManualClock, systemClock } from '../std/clock.ts';
import { silentLog } from '../std/log.ts';
import { createRecorder } from './recorder.ts';

/** Answers as SQLite does: before anything else in the process has had its turn. */
function instantOutbox(batches: number[][]): Outbox {
  const record: Outbox['record'] = async (reports) => {
    batches.push(reports.map(({ seq }) => seq));
    return reports.map(({ seq }) => ({ seq, changed: true, status: 'sent', lease: 1 }));
  };
  return { record } as Outbox;
}

const accepted = (seq: number): Report => ({ seq, actor: 'w', event: 'accepted', round: 1, at: 0 });

test('outcomes that have come together are written together, also by a database that answers at once', async () => {
  const batches: number[][] = [];
  const recorder = createRecorder({ outbox: instantOutbox(batches), clock: systemClock, log: silentLog });
  await Promise.all(
    [1, 2, 3, 4].map(
      (seq) =>
        // Each in a callback of its own, as answers come from sockets.
        new Promise<void>((resolve) =>
          setImmediate(() => {
            recorder.add(accepted(seq));
            resolve();
          }),
        ),
    ),
  );
  await recorder.drain();
  expect(batches).toEqual([[1, 2, 3, 4]]);
});

test('what comes while a batch is being written goes into the next one', async () => {
  const batches: number[][] = [];
  const outbox = instantOutbox(batches);
  const slow: Outbox = {
    ...outbox,
    async record(reports) {
      if (batches.length === 0) recorder.add(accepted(2));
      return outbox.record(reports);
    },
  };
  const recorder = createRecorder({ outbox: slow, clock: systemClock, log: silentLog });
  recorder.add(accepted(1));
  await recorder.drain();
  expect(batches).toEqual([[1], [2]]);
});

/** Takes its time, as a disk does. */
function slowOutbox(batches: number[][], clock: Clock, tookMs: number): Outbox {
  const { record } = instantOutbox(batches);
  const slow: Outbox['record'] = async (reports) => {
    await clock.sleep(tookMs);
    return record(reports);
  };
  return { record: slow } as Outbox;
}

test('the longer a write takes, the more outcomes are written by the next', async () => {
  const clock = createManualClock();
  const batches: number[][] = [];
  const recorder = createRecorder({ outbox: slowOutbox(batches, clock, 5), clock, log: silentLog });
  for (let seq = 1; seq <= 50; seq++) {
    recorder.add(accepted(seq));
    await clock.advance(1);
  }
  const drained = recorder.drain();
  await clock.advance(100);
  await drained;
  expect(batches.flat()).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
  // Those of four writes and one, after the first.
  expect(batches.map((batch) => batch.length)).toEqual([1, 24, 25]);
});

test('nobody who waits for the end waits for more to gather', async () => {
  const clock = createManualClock();
  const batches: number[][] = [];
  const recorder = createRecorder({ outbox: slowOutbox(batches, clock, 1_000), clock, log: silentLog });
  recorder.add(accepted(1));
  await clock.advance(1_000);
  recorder.add(accepted(2));
  await clock.advance(0);
  const drained = recorder.drain();
  await clock.advance(1_000);
  await drained;
  expect([batches, clock.monotonic()]).toEqual([[[1], [2]], 2_000]);
});

/** Takes nothing in which there is one that it refuses, as PostgreSQL does with a deadlock that comes again each time. */
function refusing(batches: number[][], isRefused: (seq: number) => boolean): Outbox {
  const { record } = instantOutbox(batches);
  const refuse: Outbox['record'] = async (reports) => {
    if (reports.some(({ seq }) => isRefused(seq))) throw new Error('deadlock detected');
    return record(reports);
  };
  return { record: refuse } as Outbox;
}

test('one that cannot be written takes no neighbour along, and holds nobody up for long', async () => {
  const clock = createManualClock();
  const batches: number[][] = [];
  const recorder = createRecorder({ outbox: refusing(batches, (seq) => seq === 1), clock, log: silentLog });
  for (const seq of [1, 2, 3]) recorder.add(accepted(seq));
  const drained = recorder.drain();
  await clock.advance(1_000);
  expect(batches).toEqual([[2], [3]]);
  await clock.advance(15_000);
  await drained;
});

test.each([
  ['a lock that another holds', { code: '55P03' }],
  ['a database that is away', { code: 'ECONNREFUSED' }],
])('%s is waited for, also where a neighbour could be written', async (_, trouble) => {
  const clock = createManualClock();
  const batches: number[][] = [];
  const { record } = instantOutbox(batches);
  let isOver = false;
  const outbox: Pick<Outbox, 'record'> = {
    async record(reports) {
      if (isOver || (reports.length === 1 && reports[0]?.seq === 1)) return record(reports);
      throw Object.assign(new Error('not now'), trouble);
    },
  };
  const recorder = createRecorder({ outbox: outbox as Outbox, clock, log: silentLog });
  for (const seq of [1, 2, 3]) recorder.add(accepted(seq));
  const drained = recorder.drain();
  await clock.advance(10 * 60_000);
  isOver = true;
  await clock.advance(10_000);
  await drained;
  expect(batches).toEqual([[1], [2], [3]]);
});

test('where none can be written it is the database, which is waited for', async () => {
  const clock = createManualClock();
  const batches: number[][] = [];
  let isAway = true;
  const recorder = createRecorder({ outbox: refusing(batches, () => isAway), clock, log: silentLog });
  for (const seq of [1, 2, 3]) recorder.add(accepted(seq));
  const drained = recorder.drain();
  await clock.advance(10 * 60_000);
  isAway = false;
  await clock.advance(10_000);
  await drained;
  expect(batches).toEqual([[1], [2], [3]]);
});
