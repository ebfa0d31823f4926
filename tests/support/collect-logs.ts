import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { createLog, silentLog } from '../../src/std/log.ts';

/**
 * What the tests do not look at is written all the same, at its most talkative, and read when all of them have run:
 * whatever any test has made the engine do, its log may hold no address, no token and no key.
 */
const folder = process.env.TIDINGS_TEST_LOGS;
const lines: string[] = [];
const flushAt = 1_000;

function flush(): void {
  if (folder && lines.length > 0)
    appendFileSync(join(folder, `${process.pid}.log`), lines.splice(0).join(''));
}

if (folder) {
  const write = (line: string) => {
    if (lines.push(line) >= flushAt) flush();
  };
  Object.assign(silentLog, createLog({ level: 'debug', sink: { write } }));
  afterAll(flush);
}
