import { once } from 'node:events';
import { connect } from 'node:net';
import Fastify from 'fastify';
import { afterEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { bringUpToDate, migrate, readMigrations } from '../../src/db/migrate.ts';
import { createEngine } from '../../src/engine.ts';
import { answerBadRequest } from '../../src/http/errors.ts';
import { listen } from '../../src/http/listen.ts';
import { readNamespace } from '../../src/outbox/outbox.ts';
import { createPostmark } from '../../src/providers/postmark.ts';
import { createResend } from '../../src/providers/resend.ts';
import { readSmtpUrl } from '../../src/providers/smtp-url.ts';
import { openSamples } from '../../src/samples/samples.ts';
import { createManualClock, systemClock } from '../../src/std/clock.ts';
import { systemIds } from '../../src/std/ids.ts';
import { silentLog } from '../../src/std/log.ts';
import type { RefusalCode } from '../../src/std/refusals.ts';
import { emptyDatabase, migratedDatabase } from '../support/own-database.ts';
import { advanceUntil, createWorld } from '../support/world.ts';

/** Refusals that no command and no request can be made to meet by words alone: each where it is thrown. */

const clock = systemClock;
const refusedWith = (code: RefusalCode) => expect.objectContaining({ code });

const undo: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one();
});

describe('settings of providers', () => {
  test('resend_api_key', () => {
    expect(() => createResend({ apiKey: 're_with a space', clock })).toThrow(refusedWith('resend_api_key'));
  });
  test('postmark_server_token', () => {
    expect(() => createPostmark({ serverToken: '', clock })).toThrow(refusedWith('postmark_server_token'));
  });
  test('postmark_message_stream', () => {
    const parts = { serverToken: 'a-token', messageStream: 'no stream', clock };
    expect(() => createPostmark(parts)).toThrow(refusedWith('postmark_message_stream'));
  });
  test('invalid_smtp_url', () => {
    expect(() => readSmtpUrl('mail.example.com:465')).toThrow(refusedWith('invalid_smtp_url'));
  });
});

describe('databases', () => {
  async function halfWay() {
    const { db, drop } = await openEmpty();
    await migrate(db, { clock, ids: systemIds, migrations: readMigrations('sqlite').slice(0, 3) });
    return { db, drop };
  }
  async function openEmpty() {
    const { url, drop } = await emptyDatabase('sqlite');
    const { openDatabase } = await import('../../src/db/database.ts');
    const db = await openDatabase(url, { clock, log: silentLog });
    undo.push(drop, () => db.close());
    return { db, drop };
  }

  test('database_older', async () => {
    const { db } = await halfWay();
    const used = bringUpToDate(db, 'empty database only', { clock, ids: systemIds });
    await expect(used).rejects.toMatchObject({ code: 'database_older' });
  });

  test('migration_locked', async () => {
    const { db } = await halfWay();
    const manual = createManualClock(clock.now());
    const until = manual.now() + 3_600_000;
    await db.transaction((tx) =>
      tx.insertInto('leases').values({ name: 'migrations', holder: 'other', until }).execute(),
    );
    const waiting = migrate(db, { clock: manual, ids: systemIds }).catch((error: unknown) => error);
    expect(await advanceUntil(manual, waiting)).toMatchObject({ code: 'migration_locked' });
  });

  test('database_forbidden', async () => {
    const { db } = await openEmpty();
    const refusing = {
      ...db,
      script: async () => {
        throw Object.assign(new Error('permission denied for schema public'), { code: '42501' });
      },
    };
    const migrated = migrate(refusing, { clock, ids: systemIds });
    await expect(migrated).rejects.toMatchObject({ code: 'database_forbidden' });
  });

  test('invalid_namespace', async () => {
    const { db, close } = await createWorld('sqlite');
    undo.push(close);
    await db.transaction((tx) => tx.updateTable('instance').set({ namespace: 'ours' }).execute());
    await expect(readNamespace(db)).rejects.toMatchObject({ code: 'invalid_namespace' });
  });
});

describe('listening', () => {
  test('port_forbidden', async () => {
    const server = Fastify();
    // As the system answers whoever may not; whoever may do everything is never answered so.
    server.listen = async () => {
      throw Object.assign(new Error('listen EACCES: permission denied'), { code: 'EACCES' });
    };
    const listening = listen(server, { host: '127.0.0.1', port: 80 }, clock);
    await expect(listening).rejects.toMatchObject({ code: 'port_forbidden' });
  });

  test.each<[RefusalCode, string, string]>([
    ['headers_too_large', '431', `GET / HTTP/1.1\r\nhost: x\r\na: ${'a'.repeat(20_000)}\r\n\r\n`],
    ['request_timeout', '408', 'GET / HTTP/1.1\r\nhost: x\r\n'],
  ])('%s', async (code, status, request) => {
    const server = Fastify({
      clientErrorHandler: answerBadRequest,
      requestTimeout: 50,
      http: { connectionsCheckingInterval: 20, headersTimeout: 50 },
    });
    const { url, close } = await listen(server, { host: '127.0.0.1', port: 0 }, clock);
    undo.push(close);
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.write(request);
    await once(socket, 'close');
    const [head = '', body = ''] = text.split('\r\n\r\n');
    expect(head).toContain(`HTTP/1.1 ${status} `);
    expect(JSON.parse(body)).toMatchObject({ code });
  });
});

describe('the first minute', () => {
  async function samples() {
    const { db, url, drop } = await migratedDatabase('sqlite');
    await db.close();
    const engine = await createEngine(readConfig({ DATABASE_URL: url }, 'no such file'), {
      log: silentLog,
      migrations: 'all',
    });
    undo.push(drop, () => engine.close());
    const opened = await openSamples({ engine, log: silentLog, command: ['never started'] });
    undo.push(() => opened.stop());
    return opened;
  }
  /** Whatever is asked for again and again is refused at last. */
  async function untilRefused(ask: () => Promise<unknown>): Promise<unknown> {
    for (let times = 0; times < 50; times++) {
      try {
        await ask();
      } catch (error) {
        return error;
      }
    }
    return undefined;
  }

  test('worker_not_sending, all_seats_opened, all_months_told', async () => {
    const { killWorker, openSeat, sendNewsletter } = await samples();
    await expect(killWorker()).rejects.toMatchObject({ code: 'worker_not_sending' });
    expect(await untilRefused(openSeat)).toMatchObject({ code: 'all_seats_opened' });
    expect(await untilRefused(sendNewsletter)).toMatchObject({ code: 'all_months_told' });
  });
});
