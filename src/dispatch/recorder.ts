import type { Outbox } from '../outbox/outbox.ts';
import type { Report } from '../outbox/record.ts';
import type { Clock } from '../std/clock.ts';
import type { Log } from '../std/log.ts';

/**
 * Writes outcomes down as they come, as many at a time as have come: while one transaction commits, the next batch
 * gathers. So a slow mail holds back no other mail's record, and a crash leaves few in doubt.
 */
export interface Recorder {
  add(report: Report): void;
  /** Resolves when all that was added is written down, or given up. */
  drain(): Promise<void>;
}

const batchMax = 200;
const triesMax = 8;

export function createRecorder({ outbox, clock, log }: { outbox: Outbox; clock: Clock; log: Log }): Recorder {
  let gathered: Report[] = [];
  let writing: Promise<void> | undefined;

  async function writeAll(): Promise<void> {
    while (gathered.length > 0) {
      const batch = gathered.slice(0, batchMax);
      gathered = gathered.slice(batchMax);
      await write(batch);
    }
    writing = undefined;
  }

  async function write(batch: readonly Report[]): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        tell(batch, await outbox.record(batch));
        return;
      } catch (error) {
        // What we know exists only here. A lost commit answer is harmless: evidence and fences make it idempotent.
        log.error('record.failed', { deliveries: batch.length, tries, error });
        if (tries >= triesMax) {
          log.error('record.given_up', {
            deliveries: batch.length,
            remedy: 'the leases expire and reconciliation settles it',
          });
          return;
        }
        await clock.sleep(50 * 2 ** tries);
      }
    }
  }

  function tell(batch: readonly Report[], answers: Awaited<ReturnType<Outbox['record']>>): void {
    answers.forEach(({ seq, changed, status, why }, index) => {
      const reported = batch[index]?.event;
      if (changed) log.debug('delivery.recorded', { seq, reported, status });
      else log.info('delivery.already_settled', { seq, reported, status, why });
    });
  }

  return {
    add(report) {
      gathered.push(report);
      writing ??= Promise.resolve().then(writeAll);
    },
    async drain() {
      while (writing) await writing;
    },
  };
}
