import { sql } from 'kysely';
import { readConfig } from '../src/config.ts';
import { createEngine } from '../src/engine.ts';
import { createServer } from '../src/http/server.ts';
import { systemClock } from '../src/std/clock.ts';
import { silentLog } from '../src/std/log.ts';
import { fill } from './read/fill.ts';
import { fillSources, sourceLists } from './read/fill-sources.ts';
import { median } from './support/median.ts';
import { numbers } from './support/numbers.ts';
import { rowsWanted } from './support/rows-wanted.ts';
import { verdict } from './support/verdict.ts';
import { withDatabases } from './support/with-databases.ts';

/**
 * How long does the console wait for the server where there are a million deliveries? Every list of it, as the browser asks for it, from the
 * request to the answer: the first page, one from the middle, the last; each median of some, within a bound.
 */
const rows = rowsWanted({ usual: 1_000_000, least: 10_000 });
const times = 15;
const boundMs = 100;
const clock = systemClock;

const lists = [
  '/api/v1/standing',
  ...[`below=${rows / 2}`, 'below=60', ''].flatMap((page) => [
    `/api/v1/deliveries?${page}`,
    `/api/v1/deliveries?status=failed_permanent&${page}`,
    `/api/v1/deliveries?status=needs_review&${page}`,
    `/api/v1/deliveries?status=delivered&source=seats&${page}`,
    `/api/v1/deliveries?address=person-77%40example.org&${page}`,
    `/api/v1/deliveries?addressPrefix=Person-77&${page}`,
    `/api/v1/deliveries?occasionPrefix=weekly-&${page}`,
    `/api/v1/audit?${page}`,
    `/api/v1/inbox?${page}`,
    `/api/v1/inbox?to=person-77&${page}`,
    `/api/v1/inbox?subject=subject&${page}`,
  ]),
  '/api/v1/deliveries/77',
  '/api/v1/suppressions',
  '/api/v1/suppressions?addressPrefix=person-77',
  '/api/v1/notifications/runs',
  '/api/v1/reviews/jobs',
  ...sourceLists,
];

const busyHour = Math.min(rows / 20, 20_000);

await withDatabases(1, async (kinds) => {
  for (const { title, urls } of kinds) await measure(title, urls[0] ?? '');
});

async function measure(title: string, url: string): Promise<void> {
  const config = readConfig({ DATABASE_URL: url, PORT: '0' }, 'no such file');
  const engine = await createEngine(config, { log: silentLog, migrations: 'all' });
  try {
    console.error(`${title}: filling ${rows} …`);
    await fill(engine.db, 'mostly finished', rows);
    await fillSources(engine.db, rows, clock.now());
    await fillBeside(engine.db);
    const server = await createServer({
      ...{ db: engine.db, clock, log: silentLog, isStopping: () => false },
      api: {
        ...{ ...engine, ...engine.newsletters, environment: 'bench', unsubscribeOnGet: false },
        keys: { operator: [], read: [], service: [], trigger: [] },
      },
    });
    console.log(`\n${title}, ${rows} deliveries: median and worst of ${times} answers, in ms`);
    for (const path of lists) {
      const took: number[] = [];
      while (took.length < times) {
        const startedAt = clock.monotonic();
        const { statusCode, body } = await server.inject({ url: path, headers: { host: '127.0.0.1' } });
        const tookMs = clock.monotonic() - startedAt;
        // The limit that holds for everybody: a browser does not ask so fast.
        if (statusCode === 429) {
          await clock.sleep(1_000);
          continue;
        }
        took.push(tookMs);
        if (statusCode !== 200) throw new Error(`${path}: ${statusCode} ${body}`);
      }
      const figure = median(took);
      console.log(
        `  ${path.padEnd(64)} ${figure.toFixed(1).padStart(6)} ${Math.max(...took)
          .toFixed(1)
          .padStart(6)}  ${verdict(figure, boundMs, 'ms')}`,
      );
    }
    await server.close();
  } finally {
    await engine.close();
  }
}

/** What else the lists are of: as many as a busy year leaves behind. */
async function fillBeside(db: Awaited<ReturnType<typeof createEngine>>['db']): Promise<void> {
  await sql`INSERT INTO audit_log (asked_at, who, verb, details, reason, trace_id, answer) SELECT n, 'operator', 'POST', '{}', 'why', 'trace', '200' FROM ${numbers(db, rows / 10)}`.execute(
    db.write,
  );
  const mail = JSON.stringify({
    ...{
      from: 'a@example.org',
      to: 'b@example.org',
      subject: 'Subject',
      html: '<p>x</p>',
      text: 'x',
      headers: {},
      tags: {},
    },
  });
  await sql`INSERT INTO captured_mails (message_id, idempotency_key, body_hash, mail, received_at, to_key, subject_key) SELECT 'message-' || n, 'key-' || n, 'hash', ${mail}, n, 'person-' || n || '@example.org', 'subject ' || n FROM ${numbers(db, rows / 10)}`.execute(
    db.write,
  );
  await sql`INSERT INTO suppressions (address_key, scope, reason, created_by, created_at) SELECT 'person-' || n || '@example.org', '*', 'imported', 'bench', n FROM ${numbers(db, rows / 10)}`.execute(
    db.write,
  );
  // The story of a tenth of them; the last of it is a busy hour.
  const at = sql`CASE WHEN n > ${sql.lit(rows / 10 - busyHour)} THEN ${sql.lit(clock.now() - 1_800_000)} ELSE n END`;
  await sql`INSERT INTO delivery_events (delivery_seq, at, event, status, round, actor) SELECT n, ${at}, 'accepted', 'sent', 1, 'bench' FROM ${numbers(db, rows / 10)}`.execute(
    db.write,
  );
  if (db.dialect === 'postgres') await sql.raw('VACUUM ANALYZE').execute(db.write);
}
