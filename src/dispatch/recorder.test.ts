import { expect, test } from 'vitest';
import type { Outbox } from '../outbox/outbox.ts';
import type { Report } from '../outbox/record.ts';
import { systemClock } from '../std/clock.ts';
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
