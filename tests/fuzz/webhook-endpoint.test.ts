import { connect } from 'node:net';
import fc from 'fast-check';
import { sql } from 'kysely';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { evidenceEvents } from '../../src/domain/evidence.ts';
import { type Status, statuses, statusNames } from '../../src/domain/status.ts';
import { webhookSecret } from '../support/webhooks.ts';
import { onBothDatabases } from '../support/world.ts';
import { createServedWorld, headersOf, path, type ServedWorld } from '../webhooks/served.ts';
import { eventBody, signed } from '../webhooks/signed.ts';
import { patience, runs } from './runs.ts';
import { spoiltEvents, spoiltText } from './webhook-event.ts';

/**
 * The endpoint over a real socket. Whatever comes, it answers with success or a refusal, and never with an error of its own;
 * without a good signature nothing is kept; with one, whatever it says, every row obeys its rules and a repeat changes nothing.
 * That no address is in the log is checked when the world is closed.
 */
onBothDatabases('the endpoint of webhooks under fire', (dialect) => {
  let world: ServedWorld;
  let number = 0;
  beforeAll(async () => {
    world = await createServedWorld(dialect);
    // Those about whom nothing is said.
    for (const status of ['pending', 'sending', 'sent'] as const) {
      number += 1;
      const more = { providerMessageId: status === 'pending' ? null : `m-${number}` };
      bystanders.push((await world.delivery(status, number, more)).seq);
    }
  });
  afterAll(() => world.close());

  type Row = Awaited<ReturnType<typeof rowsOf>>[number];
  const rowsOf = (seqs: readonly number[]) =>
    world.db.read.selectFrom('deliveries').selectAll().where('seq', 'in', seqs).orderBy('seq').execute();
  const countsNow = async () => {
    const { rows } = await sql<Record<string, number | string>>`SELECT
      (SELECT count(*) FROM deliveries) AS deliveries, (SELECT count(*) FROM delivery_mails) AS mails,
      (SELECT count(*) FROM delivery_events) AS events, (SELECT count(*) FROM suppressions) AS suppressions,
      (SELECT count(*) FROM books) AS books, (SELECT count(*) FROM owed_facts) AS owed`.execute(
      world.db.read,
    );
    return Object.fromEntries(Object.entries(rows[0] ?? {}).map(([name, count]) => [name, Number(count)]));
  };
  /** All that there is about some deliveries, and how much there is about all of them. */
  const everythingOf = async (...seqs: number[]) => {
    const about = (['delivery_events', 'delivery_mails', 'suppressions'] as const).map(async (table) => {
      const rows = await world.db.read
        .selectFrom(table)
        .selectAll()
        .where('delivery_seq', 'in', seqs)
        .execute();
      return rows.map((row) => JSON.stringify(row)).sort();
    });
    return {
      deliveries: await rowsOf(seqs),
      about: await Promise.all(about),
      counts: await countsNow(),
    };
  };
  const bystanders: number[] = [];
  const kept = async () => {
    const query = world.db.read.selectFrom('webhook_events').select((eb) => eb.fn.countAll().as('count'));
    return Number((await query.executeTakeFirstOrThrow()).count);
  };
  const lastOutcome = async () => {
    const query = world.db.read.selectFrom('webhook_events').select('outcome').orderBy('event_seq', 'desc');
    return (await query.limit(1).executeTakeFirst())?.outcome ?? null;
  };
  const isAlive = async () => {
    expect((await fetch(`${world.served.url}/health`)).status).toBe(200);
    number += 1;
    expect(await world.served.tell(`msg_alive_${number}`, { type: 'email.something_new' })).toMatchObject({
      status: 200,
    });
  };

  it('bytes of any kind are refused or not answered, and nothing of them is kept', patience, async () => {
    const before = [await everythingOf(...bystanders), await kept()];
    const line = fc.oneof(
      fc.constantFrom(
        'svix-id: msg_1',
        'svix-timestamp: 1',
        'svix-signature: v1,x',
        'content-type: text/plain',
      ),
      fc.constantFrom(
        'content-length: 7',
        'content-length: -1',
        'content-length: 99999999999999',
        'expect: 100-continue',
      ),
      fc.constantFrom(
        'transfer-encoding: chunked',
        'transfer-encoding: gzip, chunked',
        'connection: upgrade',
        'x',
      ),
      fc
        .tuple(fc.constantFrom('svix-id', 'svix-signature', 'x'), fc.string({ unit: 'binary' }))
        .map((it) => it.join(': ')),
      fc.constant(`x: ${'y'.repeat(20_000)}`),
    );
    const requests = fc.oneof(
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
      fc
        .tuple(
          fc.constantFrom('POST', 'GET', 'PUT', 'post', 'POST POST'),
          fc.array(line, { maxLength: 5 }),
          fc.uint8Array(),
        )
        .map(([method, lines, body]) =>
          Buffer.concat([
            Buffer.from(
              `${[`${method} ${path} HTTP/1.1`, 'host: localhost', ...lines].join('\r\n')}\r\n\r\n`,
            ),
            body,
          ]),
        ),
    );
    await fc.assert(
      fc.asyncProperty(
        requests,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.boolean(),
        async (bytes, share, isWhole) => {
          const sent = isWhole ? bytes : bytes.subarray(0, Math.floor(bytes.length * share));
          for (const status of await statusesOf(sent)) expect(status).toMatch(/^(100|4\d\d)$/);
        },
      ),
      runs(150),
    );
    expect([await everythingOf(...bystanders), await kept()]).toEqual(before);
    await isAlive();
  });

  /** What is answered, if anything is. Whoever lets a connection hang fails. */
  async function statusesOf(bytes: Buffer): Promise<string[]> {
    const { hostname, port } = new URL(world.served.url);
    const socket = connect(Number(port), hostname);
    socket.setTimeout(10_000, () => socket.destroy(new Error('the connection hangs')));
    socket.end(bytes);
    let text = '';
    try {
      for await (const chunk of socket) text += (chunk as Buffer).toString('latin1');
    } catch (error) {
      // It may close before it has read all that we wrote.
      if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    }
    return [...text.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => status ?? '');
  }

  it('one bit of a signed request makes it a stranger’s, and nothing of it is kept', patience, async () => {
    const before = [await everythingOf(...bystanders), await kept()];
    const names = fc.constantFrom('svix-id', 'svix-timestamp', 'svix-signature', 'body');
    const changes = fc.record({ name: names, place: fc.nat(), bit: fc.nat(6), isLeftOut: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(spoiltEvents, changes, async (event, { name, place, bit, isLeftOut }) => {
        const mail = { messageId: 'm-3', to: 'person-3@example.org', tags: {} };
        const body = spoiltText(event, mail, world.clock.now());
        fc.pre(body !== '');
        const headers: Record<string, string> = headersOf(
          signed('msg_flipped', body, { at: world.clock.now() }),
        );
        const bytes = Buffer.from(name === 'body' ? body : (headers[name] ?? ''));
        const at = place % bytes.length;
        bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << bit), at);
        const isSendable =
          name === 'body' || /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(bytes.toString('latin1'));
        fc.pre(isSendable);
        if (name !== 'body') headers[name] = bytes.toString('latin1');
        if (name !== 'body' && isLeftOut) delete headers[name];
        const { status } = await world.served.post(headers, name === 'body' ? bytes : body);
        expect(status).toBe(name !== 'body' && isLeftOut ? 400 : 401);
      }),
      runs(200),
    );
    expect([await everythingOf(...bystanders), await kept()]).toEqual(before);
    await isAlive();
  });

  it(
    'whatever is in a signed event, it is taken, its row obeys the rules, and a repeat changes nothing',
    patience,
    async () => {
      const outcomes = new Set<string | null>();
      const moves = new Set<string>();
      const signers = {
        svix: (id: string, at: number, body: string) => headersOf(signed(id, body, { at })),
        standardwebhooks(id: string, at: number, body: string) {
          const seconds = Math.floor(at / 1000);
          const signature = new StandardWebhook(webhookSecret).sign(id, new Date(seconds * 1000), body);
          return {
            ...{ 'content-type': 'application/json', 'svix-id': id },
            ...{ 'svix-timestamp': String(seconds), 'svix-signature': signature },
          };
        },
      };
      const told = fc.record({
        status: fc.constantFrom(...statusNames),
        isNamed: fc.boolean(),
        isTagged: fc.boolean(),
        signer: fc.constantFrom('svix' as const, 'standardwebhooks' as const),
        event: spoiltEvents,
      });
      await fc.assert(
        fc.asyncProperty(told, async ({ status, isNamed, isTagged, signer, event }) => {
          number += 1;
          const messageId = `m-${number}`;
          await forgetIds();
          const { seq, tags } = await world.delivery(
            status,
            number,
            isNamed ? { providerMessageId: messageId } : {},
          );
          const mail = { messageId, to: `person-${number}@example.org`, tags: isTagged ? tags() : {} };
          const body = spoiltText(event, mail, world.clock.now());
          const headers = signers[signer](`msg_spoilt_${number}`, world.clock.now(), body);
          const before = await everythingOf(seq);
          const others = await rowsOf(bystanders);

          expect(await world.served.post(headers, body)).toEqual({
            status: 200,
            body: { status: 'processed' },
          });
          const after = await everythingOf(seq);
          const [row, rowBefore] = [after.deliveries[0], before.deliveries[0]];
          if (!row || !rowBefore) throw new Error('the row is gone');
          expect(brokenRules(row, rowBefore)).toEqual([]);
          // Nobody else hears of it, and nobody else is stopped for it.
          expect(await rowsOf(bystanders)).toEqual(others);
          const stopped = await stoppedFor(seq);
          expect(stopped).toEqual(stopped.length > 0 ? [mail.to] : []);
          expect((after.counts.suppressions ?? 0) - (before.counts.suppressions ?? 0)).toBe(stopped.length);
          if (stopped.length > 0) expect(row.status).toBe('suppressed');
          if (row.status !== rowBefore.status) moves.add(`${rowBefore.status} to ${row.status}`);
          outcomes.add(await lastOutcome());

          const again = await world.served.post(headers, body);
          expect(again).toEqual({ status: 200, body: { status: 'already_processed' } });
          expect(await everythingOf(seq)).toEqual(after);
        }),
        runs(100),
      );
      await isAlive();
      // A search that never got to the outbox would have found nothing.
      expect([...outcomes]).toEqual(expect.arrayContaining(['applied', 'kept', null]));
      expect(moves.size).toBeGreaterThan(5);
    },
  );

  /** Two spoilt ids may be the same: an event is not about the mail of an earlier one. */
  const forgetIds = async () => {
    const names = { provider_message_id: null };
    await world.db.write
      .updateTable('deliveries')
      .set(names)
      .where('seq', 'not in', bystanders)
      .where('provider_message_id', 'is not', null)
      .execute();
    await world.db.write.updateTable('delivery_mails').set(names).execute();
  };

  const stoppedFor = async (seq: number) => {
    const query = world.db.read
      .selectFrom('suppressions')
      .select('address_key')
      .where('delivery_seq', '=', seq);
    return (await query.execute()).map((one) => one.address_key);
  };

  const nextStatuses: readonly Status[] = [
    ...Object.values(evidenceEvents).map(({ next }) => next),
    'failed_permanent',
  ];

  /** By name: what evidence may not do to a row, and what no row may be. */
  function brokenRules(row: Row, before: Row): string[] {
    const earlier = (now: number | null, then: number | null) =>
      then === null || (now !== null && now <= then);
    const { mailExists, isDue } = statuses[row.status];
    const rules: Readonly<Record<string, boolean>> = {
      'evidence never falls': row.evidence >= before.evidence,
      'a round never ends by evidence': row.round >= before.round && row.round <= 999,
      'a status moves by higher evidence only':
        row.status === before.status || row.evidence > before.evidence,
      'a status moves to where evidence leads':
        row.status === before.status || nextStatuses.includes(row.status),
      'what was sent stays sent, at its earliest': earlier(row.sent_at, before.sent_at),
      'what has arrived stays so, at its earliest': earlier(row.delivered_at, before.delivered_at),
      'doubt is told by the status':
        row.status === 'failed_permanent' ||
        (row.first_possible_accept_at !== null) === (mailExists === 'perhaps'),
      'who waits is due': !isDue || row.due_at !== null,
      'who has been told is not due': row.status !== 'delivered' || row.due_at === null,
      'evidence lets go of the row': row.evidence === before.evidence || row.locked_by === null,
      'an attempt is counted once': row.attempts - before.attempts <= (before.status === 'sending' ? 1 : 0),
      'leases, claims and the address are not its business':
        row.lease === before.lease && row.claims === before.claims && row.to_email === before.to_email,
      'errors name no address': !(row.last_error ?? '').includes('@'),
    };
    return Object.keys(rules).filter((name) => !rules[name]);
  }

  it(
    'a body larger than any event is refused before it is verified, at whatever size',
    patience,
    async () => {
      const before = await kept();
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 3_000_000 }), async (more) => {
          const body = eventBody({ type: 'email.sent' }).padEnd(256 * 1024 + more, ' ');
          number += 1;
          const { status } = await world.served.post(
            headersOf(signed(`msg_large_${number}`, body, { at: world.clock.now() })),
            body,
          );
          expect(status).toBe(413);
        }),
        runs(10),
      );
      expect(await kept()).toBe(before);
      await isAlive();
    },
  );
});
