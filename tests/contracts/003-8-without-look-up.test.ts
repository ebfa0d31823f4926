import { afterEach, beforeEach, expect, it } from 'vitest';
import { explained, tellExplanation } from '../../src/cli/explanation.ts';
import { createPaint } from '../../src/cli/terminal.ts';
import { readSurroundings } from '../../src/dispatch/circumstances.ts';
import { createPauses } from '../../src/dispatch/pauses.ts';
import { metricsText } from '../../src/http/metrics.ts';
import { createOutboxMetrics } from '../../src/http/outbox-metrics.ts';
import type { Outbox } from '../../src/outbox/outbox.ts';
import type { Provider } from '../../src/providers/provider.ts';
import { createSmtp } from '../../src/providers/smtp.ts';
import { plainSource } from '../../src/sources/plain/plain.ts';
import { createDispatchWorld, type DispatchWorld, signal } from '../support/dispatch-world.ts';
import { createFakeSmtp, type FakeSmtp } from '../support/fake-smtp/fake-smtp.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { onBothDatabases } from '../support/world.ts';

onBothDatabases('003-8.2 a provider that cannot be asked (SMTP)', (dialect) => {
  let world: DispatchWorld;
  let fake: FakeSmtp;
  let smtp: Provider;
  beforeEach(async () => {
    world = await createDispatchWorld(dialect);
    fake = await createFakeSmtp();
    smtp = createSmtp({ url: fake.plainUrl, clock: world.clock });
  });
  afterEach(async () => {
    await smtp.close?.();
    await fake.close();
    await world.close();
  });

  it('003-8.2-5, 003-8.2-10 A crash after acceptance and a day of outage: a person is asked, the metric says so, and what is known is told', async () => {
    const [seq = 0] = await world.enqueue(1);
    const dead: Outbox = { ...world.outbox, record: () => new Promise(() => {}) };
    void world.dispatch({ provider: smtp, outbox: dead }).runOnce(signal());
    await expect.poll(() => fake.ledger.length, { interval: 2, timeout: 10_000 }).toBe(1);
    await world.clock.advance(24 * 3_600_000);
    await world.sweep().runOnce();
    const log = createRecordingLog();
    await world.reconcile(smtp, plainSource, log).runOnce(signal());
    const row = await world.find(seq);
    expect(row).toMatchObject({ status: 'needs_review', sent_at: null });
    expect(log.lines).toMatchObject([{ level: 'error', event: 'delivery.undecidable', deliveryId: row?.id }]);
    await world.dispatch({ provider: smtp }).runOnce(signal());
    expect(fake.ledger, 'nothing goes out a second time').toHaveLength(1);

    const { db, clock, queries } = world;
    const parts = { db, clock, queries, sources: [plainSource], pauses: createPauses(db, clock) };
    const text = metricsText(await createOutboxMetrics({ ...parts, provider: smtp })());
    expect(text).toContain('tidings_needs_review{source="plain"} 1\n');
    expect(text).toContain('tidings_needs_review_oldest_seconds{source="plain"} 86400\n');

    if (!row) throw new Error('no row');
    const surroundings = await readSurroundings(db, clock, smtp.account);
    const around = await surroundings.around({ ...row, address: row.to_email });
    const told = tellExplanation(explained(row, await queries.story(seq), around), {
      ...{ paint: createPaint(false), columns: 1_000 },
    });
    const words = told.join(' ').replace(/\s+/g, ' ');
    expect(words).toContain(
      "We don't know: the worker that was handing it to smtp never came back. Nobody could find out what became of it; a person must decide.",
    );
    expect(words).toContain(
      `Look for the key ${row.id} in the log of smtp, or ask the recipient; then decide, as sent, not-sent or closed:`,
    );
    expect(words).toContain(`npx tidings deliveries resolve ${seq} --as sent --because "…"`);
  });
});
