import { expect, test } from 'vitest';
import { keepWorker } from '../../src/samples/worker-process.ts';
import { systemClock } from '../../src/std/clock.ts';
import { silentLog } from '../../src/std/log.ts';

test('a worker is there when it says that it has started, and not before', async () => {
  let startedCount = 0;
  const worker = keepWorker({
    // It says so when it is told something.
    command: [process.execPath, '-e', "process.on('message', () => process.send('started'))"],
    ...{ clock: systemClock, log: silentLog },
    onStarted: () => startedCount++,
  });
  const letStart = async () => {
    const before = startedCount;
    const told = () => worker.tell({ open: '04711' }) ?? startedCount;
    await expect.poll(told, { timeout: 30_000 }).toBeGreaterThan(before);
  };
  try {
    expect(worker.pid()).toBeNull();
    await letStart();
    const first = worker.pid();
    expect(first).toEqual(expect.any(Number));
    expect(worker.kill()).toBe(first);
    expect(worker.pid()).toBeNull();
    await letStart();
    expect([worker.pid(), worker.pid() === first]).toEqual([expect.any(Number), false]);
  } finally {
    await worker.stop();
  }
});
