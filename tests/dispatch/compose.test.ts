import { expect, it, vi } from 'vitest';
import { compose } from '../../src/dispatch/compose.ts';
import { parseSender, type Sender } from '../../src/domain/message.ts';
import type { Claimed } from '../../src/outbox/claim.ts';
import { plainSource } from '../../src/sources/plain/plain.ts';
import { createManualClock } from '../../src/std/clock.ts';
import { silentLog } from '../../src/std/log.ts';

vi.mock('../../src/emails/render.ts', () => ({
  render: () => Promise.reject(new Error('EMFILE: too many open files')),
}));

it('a program that cannot load its templates puts off the mail, and does not give it up', async () => {
  const clock = createManualClock();
  const { sender: from } = parseSender('Tidings <noreply@example.org>') as { sender: Sender };
  const claimed = {
    seq: 7,
    lease: 3,
    toEmail: 'ana@example.org',
    variables: {},
    frozen: null,
  } as unknown as Claimed;
  const parts = {
    from,
    environment: 'test',
    worker: 'worker-1',
    clock,
    log: silentLog,
    linksFor: async () => new Map(),
  };
  const { composed, reports } = await compose(plainSource, [claimed], parts);
  expect(composed).toEqual([]);
  expect(reports).toEqual([
    {
      seq: 7,
      lease: 3,
      actor: 'worker-1',
      event: 'deferred',
      dueAt: clock.now() + 30_000,
      error: { code: 'template_load_failed', message: 'Error: EMFILE: too many open files' },
    },
  ]);
});
