import { sql } from 'kysely';
import { createConsent } from '../../src/consent/consent.ts';
import type { Database, Tx } from '../../src/db/database.ts';
import type { DialectName } from '../../src/db/dialect.ts';
import { raiseMark, readMark } from '../../src/db/time-mark.ts';
import { readSurroundings } from '../../src/dispatch/circumstances.ts';
import { createDispatch, type Dispatch } from '../../src/dispatch/dispatch.ts';
import { createHeal } from '../../src/dispatch/heal.ts';
import { createPace } from '../../src/dispatch/pace.ts';
import { createPauses, everything } from '../../src/dispatch/pauses.ts';
import { createReconcile } from '../../src/dispatch/reconcile.ts';
import { createSweep } from '../../src/dispatch/sweep.ts';
import type { Address } from '../../src/domain/address.ts';
import { heldAt, type Intent, lanes } from '../../src/domain/delivery.ts';
import type { Sender } from '../../src/domain/message.ts';
import { leaseMs } from '../../src/domain/policy.ts';
import { countChosen, readChosen } from '../../src/outbox/choose.ts';
import { countDue } from '../../src/outbox/due.ts';
import { followedOutbox } from '../../src/outbox/followed-outbox.ts';
import { createOutbox, type Outbox, readNamespace } from '../../src/outbox/outbox.ts';
import { createQueries } from '../../src/outbox/queries.ts';
import { stopDeliveries } from '../../src/outbox/stop.ts';
import { createTrail } from '../../src/outbox/trail.ts';
import type { AcceptedMail, Provider } from '../../src/providers/provider.ts';
import { plainSource } from '../../src/sources/plain/plain.ts';
import type { Source } from '../../src/sources/source.ts';
import type { Ids } from '../../src/std/ids.ts';
import { silentLog as log } from '../../src/std/log.ts';
import { createSeededRandom } from '../../src/std/random.ts';
import { baseUrl, tokenSecret } from '../support/consent.ts';
import { mailTo } from '../support/mails.ts';
import type { JumpingClock } from './jumping-clock.ts';

/**
 * A day at work that comes by every await: mails that simply leave, one that bounces and goes out again, one that a source
 * holds back until an operator asks for it, one that is complained about, somebody who leaves while a mail waits, a source that throws, books that are not kept at
 * first, one whose words are written before anybody sends, a database that fails for a moment, a provider that was down, a row that was said to be sent and never left, mails of
 * which no word comes, and what a worker left behind that died before.
 * Written so that it can be begun again after a crash anywhere: what has been done is not done again.
 */
export interface Scenario {
  /** By somebody who then dies: what the first life finds. */
  leaveBehind(parts: ScenarioParts): Promise<void>;
  /** From wherever it stands to where nothing is left to do. */
  run(parts: ScenarioParts): Promise<void>;
  /** How often each of this scenario's intents should have been accepted, by address. */
  readonly expected: ReadonlyMap<string, number>;
  readonly prefix: string;
}

export interface ScenarioParts {
  db: Database;
  provider: Provider;
  clock: JumpingClock;
  worker: string;
  /** For the links in mails. */
  ids: Ids;
}

/** What still fails, and how often. The world's, not a life's: what has failed once does not fail again. */
export type Trouble = Record<'drafts' | 'checks' | 'books' | 'records', number>;

export const wholeTrouble = (): Trouble => ({ drafts: 1, checks: 1, books: 2, records: 4 });

const dayMs = 86_400_000;
const names = ['plain-1', 'plain-2', 'plain-3', 'bounces', 'held-back', 'complained'] as const;
const unsendable = ['unsendable-1', 'unsendable-2'] as const;
/** Held back until its words are written. */
const ahead = 'composed-ahead';
const leftBehind = ['begun-before', 'key-forgotten', 'claimed-before', 'said-to-be-sent'] as const;

export function createScenario(number: number, trouble = wholeTrouble()): Scenario {
  const prefix = `run-${number}-`;
  /** Of a source that is done with it for good. */
  const occasionThatGoes = `${prefix}gone`;
  const addressOf = (name: string) => `${prefix}${name}@example.org`;
  const intent = (name: string): Intent => ({
    ...{ source: 'plain', occasion: prefix, recipient: addressOf(name), toEmail: addressOf(name) },
    lane: lanes[name.length % lanes.length] ?? 'normal',
    variables: name.startsWith('unsendable') ? {} : { subject: `About ${name}`, text: 'Text' },
  });
  const strikes = (kind: keyof typeof trouble) => trouble[kind] > 0 && trouble[kind]-- > 0;
  const fail = (what: string): never => {
    throw new Error(`${what} failed, as it should`);
  };

  let clock: JumpingClock | undefined;
  const source: Source = {
    ...plainSource,
    async draft(deliveries) {
      if (deliveries.length > 1 && strikes('drafts')) fail('the draft');
      // For so long that the slots which were reserved have gone by.
      if (deliveries.some(({ recipient }) => recipient === addressOf('plain-2'))) clock?.jump(300);
      const drafts = new Map(await plainSource.draft(deliveries));
      for (const { seq, recipient, written } of deliveries)
        if (written && recipient === addressOf(ahead)) {
          drafts.set(seq, { kind: 'written', to: recipient as Address });
        }
      return drafts;
    },
    async recheck(deliveries, tx) {
      const isUnlucky = deliveries.some(({ recipient }) => recipient === addressOf('plain-1'));
      if (deliveries.length > 1 && isUnlucky && strikes('checks')) fail('the last check');
      const asked = await tx.selectFrom('operator_requests').select('delivery_seq').execute();
      const held = deliveries.filter(
        ({ seq, recipient }) =>
          recipient === addressOf('held-back') && !asked.some(({ delivery_seq }) => delivery_seq === seq),
      );
      return new Map(held.map(({ seq }) => [seq, { event: 'ineligible' as const }]));
    },
    async changed(facts, tx) {
      const isUnlucky = facts.some(({ delivery }) => delivery.recipient === addressOf('plain-1'));
      if (isUnlucky && strikes('books')) fail('the bookkeeping');
      for (const { kind, delivery } of facts)
        await sql`INSERT INTO crash_books (delivery_seq, kind) VALUES (${delivery.seq}, ${kind})`.execute(tx);
    },
  };

  async function engineOf({ db, provider, clock: time, worker, ids }: ScenarioParts) {
    clock = time;
    const consent = createConsent({
      ...{ db, clock, ids, log },
      ...{ secrets: [tokenSecret], baseUrl: () => baseUrl },
    });
    const listeners = {
      consent: consent.learn,
      source: (name: string) => (name === 'plain' ? source.changed : undefined),
    };
    const namespace = await readNamespace(db);
    // Somebody follows every step, and must not come between a row and its end either.
    const trail = createTrail({ follows: () => true, tell: () => {}, stop: async () => {} }, clock, ids);
    const quiet = createOutbox({ db, clock, log, namespace, listeners, healAfterMs: 1 });
    const outbox = followedOutbox(quiet, trail);
    const queries = createQueries(db);
    // The database fails for a moment, just when something is to be written down: together, and then the first of them alone.
    const shaky: Outbox = {
      ...outbox,
      record: (reports, tx) =>
        (reports.length > 1 || trouble.records === 1) && strikes('records')
          ? Promise.reject(new Error('the disk is full, for a moment'))
          : outbox.record(reports, tx),
    };
    const pace = createPace({ db, provider, clock, log });
    const common = { sources: [source], consent, provider, pace, clock, log, worker, trail };
    return {
      ...{ db, outbox, queries, pace },
      dispatch: createDispatch({
        ...{ ...common, outbox: shaky, random: createSeededRandom(7) },
        ...{ from: 'Crash <crash@example.org>' as Sender, environment: 'test' },
      }),
      sweep: createSweep({
        ...{ outbox, queries, keepers: [provider, consent.suppressions], clock, log },
        ...{ retentionMs: 90 * dayMs, doubtAfterMs: 1 },
      }),
      heal: createHeal({
        ...{ outbox, sources: [source], pace, clock, log, policyOf: () => source.policy },
        // One has arrived, of the others there is no word.
        provider: {
          ...provider,
          async progress(mails, mayAsk) {
            const answers = (await mayAsk()) ? answersFor(mails) : new Map();
            // Between two questions everything is stopped.
            await whilePaused(db, time, mayAsk);
            return { answers, isRefused: false };
          },
        },
      }),
      reconcile: createReconcile({
        ...{ ...common, outbox, queries },
        leaseOf: () => leaseMs(source.policy, provider.guarantees),
      }),
    };
  }

  /** An operator who stops everything, looks, and goes on. */
  async function whilePaused(db: Database, time: JumpingClock, work: () => Promise<unknown>): Promise<void> {
    const pauses = createPauses(db, time);
    await pauses.pause(everything, { reason: 'a look', operator: 'an operator' });
    await work();
    for (const { scope } of await pauses.list()) await pauses.resume(scope);
  }

  const answersFor = (mails: readonly AcceptedMail[]) =>
    new Map(
      mails.map(({ messageId, leftAt }, index) => [
        messageId,
        index === 0 ? { event: 'confirmed' as const, at: leftAt } : null,
      ]),
    );

  async function leaveBehind(parts: ScenarioParts): Promise<void> {
    const { db, outbox, pace } = await engineOf(parts);
    const { clock, provider } = parts;
    await outbox.enqueue(leftBehind.map(intent));
    const heldMs = leaseMs(source.policy, provider.guarantees);
    const worker = 'the one before';
    for (const from of lanes) {
      const claimed = await outbox.claim({ source: 'plain', worker, leaseMs: heldMs, limit: 10, from });
      for (const each of claimed) {
        if (each.recipient === addressOf('claimed-before')) continue;
        if (each.recipient === addressOf('said-to-be-sent')) {
          await somebodySaysSent(db, each.seq, provider.account, clock.now());
          continue;
        }
        const { idempotencyWindowMs } = provider.guarantees;
        const isForgotten = each.recipient === addressOf('key-forgotten') && idempotencyWindowMs !== null;
        await outbox.begin([{ claimed: each, mail: mailFor(each.recipient) }], {
          ...{ worker, account: provider.account, lastCheck: async () => new Map() },
          keyWindowMs: isForgotten ? 1 : idempotencyWindowMs,
        });
      }
    }
    clock.jump(Math.max(heldMs, provider.guarantees.longestCallMs + 30_000));
    await db.write.deleteFrom('provider_pace').execute();
    await pace.observe({ accepted: 0, doubtful: 0, pauseMs: null, down: 'unreachable', ratePerSecond: null });
    await somethingTooLate(outbox, parts.clock.now());
    await somethingOld(db, outbox, parts.clock.now(), intent('old'));
    await somethingOld(db, outbox, parts.clock.now(), { ...intent('gone'), occasion: occasionThatGoes });
    await sql`
      INSERT INTO owed_facts (delivery_seq, source, fact, at, due_at, last_error)
      VALUES (1, 'another process knows it', '{}', 1, 1, 'x')
    `.execute(db.write);
  }

  /** What another system has told long ago: under an occasion of its own, because no mail of it leaves here. */
  async function importOld(outbox: Outbox, now: number): Promise<void> {
    const identity = { source: 'plain', occasion: `${prefix}imported`, recipient: addressOf('imported') };
    const sent = { end: 'sent', attempts: 1, sentAt: now - dayMs, createdAt: now - dayMs } as const;
    const unknown = { id: null, toEmail: null, lastAttemptAt: null, providerMessageId: null, error: null };
    await outbox.importEnded([{ ...identity, ...sent, ...unknown, lane: 'bulk' }]);
  }

  async function composeAhead(outbox: Outbox, now: number): Promise<void> {
    const { variables: _, ...bare } = intent(ahead);
    const [made] = await outbox.enqueue([{ ...bare, dueAt: heldAt }]);
    if (!made) return;
    const { seq, id } = made;
    const words = { subject: 'Ahead', html: '<p>Ahead</p>', text: 'Ahead' };
    const template = { name: 'plain', version: 'v1' };
    await outbox.write([{ seq, id, ...words, template, dueAt: now }], 'a composer');
  }

  const mailFor = (address: string) => ({ ...mailTo(1), to: address as ReturnType<typeof mailTo>['to'] });

  const somethingTooLate = (outbox: Outbox, now: number) =>
    outbox.enqueue([{ ...intent('too-late'), expiresAt: now + 1, dueAt: now + dayMs }]);

  const whoLeaves = (tx: Tx, dialect: DialectName, now: number) =>
    stopDeliveries(
      tx,
      {
        whose: { source: 'plain', recipient: addressOf('leaves') },
        event: 'unsubscribed',
        actor: 'recipient',
      },
      now,
      { dialect, log },
    );

  /** By hand, in the database: nothing has ever left. */
  async function somebodySaysSent(db: Database, seq: number, account: string, now: number): Promise<void> {
    await db.write
      .updateTable('deliveries')
      .set({ status: 'sent', sent_at: now, account, due_at: null, locked_by: null, locked_at: null })
      .where('seq', '=', seq)
      .execute();
  }

  async function somethingOld(db: Database, outbox: Outbox, now: number, what: Intent): Promise<void> {
    const [old] = await outbox.enqueue([what]);
    // Of this status the sweep asks first whether it can still be taken back.
    const long = { status: 'skipped_unsubscribed', due_at: null, created_at: now - 100 * dayMs } as const;
    await db.write
      .updateTable('deliveries')
      .set(long)
      .where('seq', '=', old?.seq ?? 0)
      .execute();
  }

  /** As a queue has it: what is due is named first, and then taken by its name. */
  async function runNamed(
    { outbox, dispatch }: { outbox: Outbox; dispatch: Dispatch },
    signal: AbortSignal,
  ): Promise<{ handled: number; waitMs: number }> {
    let waitMs = 0;
    for (const work of await outbox.due(['plain'])) {
      const rows = await outbox.dueRows(work, 10);
      const done = await dispatch.runThese({ ...work, seqs: rows.map(({ seq }) => seq) }, signal);
      if (done.handled > 0) return done;
      waitMs = done.waitMs;
    }
    return { handled: 0, waitMs };
  }

  async function run(parts: ScenarioParts): Promise<void> {
    const { clock } = parts;
    const engine = await engineOf(parts);
    const { outbox, queries } = engine;
    // All but the first of these share a transaction; a source has its own.
    await Promise.all([
      outbox.enqueue([...names, ...unsendable].map(intent)),
      ...names.map((name) => outbox.enqueue([intent(name)])),
    ]);
    await parts.db.transaction((tx) =>
      outbox.enqueue([{ ...intent('leaves'), dueAt: clock.now() + dayMs }], tx),
    );
    await composeAhead(outbox, clock.now());
    await importOld(outbox, clock.now());
    await parts.db.transaction((tx) => whoLeaves(tx, parts.db.dialect, clock.now()));
    // An account that nobody has used so far has no row yet.
    const fresh = { ...parts.provider, account: `${prefix}${parts.worker}` };
    await createPace({ db: parts.db, provider: fresh, clock, log }).take(1);
    const { signal } = new AbortController();
    await whilePaused(parts.db, clock, () => engine.heal.runOnce(signal));
    const before = clock.now() - 30 * dayMs;
    await outbox.remove({ source: 'plain', occasions: [occasionThatGoes], before, limit: 10 });
    let isIdle = true;
    for (let turn = 0; turn < 60; turn++) {
      // While mails leave, turn after turn, nothing else comes due.
      if (isIdle) await engine.sweep.runOnce();
      if (isIdle) await engine.reconcile.runOnce(signal);
      const { handled, waitMs } = await (turn % 2 === 0
        ? runNamed(engine, signal)
        : engine.dispatch.runOnce(signal));
      isIdle = handled === 0;
      if (!isIdle) continue;
      const moved = await theWorldGoesOn(engine, clock.now());
      const nextAt = await nextDueAt(parts.db);
      if (nextAt === null && !moved) break;
      clock.jump(moved ? 0 : Math.max(waitMs, (nextAt ?? 0) - clock.now()));
    }
    // No word has come of the others.
    while ((await engine.heal.runOnce(signal)) > 0) {}
    await heardUnderAnotherNumber(engine);
    // An operator who does not want to wait for the next look.
    await engine.reconcile.walk({ above: 0, isEarly: true }, signal);
    // When nothing is in doubt any more: whatever still waits does so a moment less.
    await raiseMark(parts.db, clock.now());
    const mark = (await readMark(parts.db)) ?? 0;
    await outbox.setBack({ from: mark, to: mark - 1 });
    // Those who only look.
    for (const reference of ['1', 'plain:no such:message', '6f0c2c6e-0000-4000-8000-000000000000']) {
      await queries.find(reference);
    }
    await queries.search({ recipientPrefix: prefix, limit: 1 });
    await queries.search({ status: ['expired'], errorCode: 'none', limit: 1 });
    const alsoTo = [{ source: 'plain', recipients: [addressOf('leaves')] }];
    await queries.search({ address: addressOf('bounces'), alsoTo, limit: 1 });
    await queries.story(1);
    await queries.counts();
    await queries.oldestDueAt('plain');
    await queries.held(['claimed', 'sending']);
    await countDue(parts.db, ['plain'], clock.now());
    const choice = { status: ['failed_permanent'] } as const;
    await countChosen(parts.db, choice);
    await readChosen(parts.db, choice, { above: 0, upTo: 1, limit: 1 });
    const surroundings = await readSurroundings(parts.db, clock, parts.provider.account);
    await surroundings.around({
      address: addressOf('complained'),
      source: 'plain',
      recipient: addressOf('complained'),
    });
  }

  /** As after a database went back in time: what is known already is heard once more, of a number that is nobody's. */
  async function heardUnderAnotherNumber({ outbox, queries }: Awaited<ReturnType<typeof engineOf>>) {
    const [row] = await queries.search({ status: ['sent', 'delivered'], recipientPrefix: prefix, limit: 1 });
    if (!row) return;
    const { id, sent_at: at, round } = row;
    const report = { event: 'accepted', round: Math.max(round, 1), at: at ?? 0, actor: 'worker-0' } as const;
    await outbox.record([{ seq: Number.MAX_SAFE_INTEGER, id, ...report }]);
  }

  /** A bounce, a complaint, an operator's wish: each once. Answers whether something happened. */
  async function theWorldGoesOn({ db, outbox, queries }: Awaited<ReturnType<typeof engineOf>>, now: number) {
    const rowOf = async (name: string) => (await queries.search({ address: addressOf(name), limit: 1 }))[0];
    let moved = false;
    const bounced = await rowOf('bounces');
    if (bounced?.status === 'sent' && bounced.round === 1) {
      const again = { dueAt: now + 1_000, roundsMax: 3 };
      const report = { event: 'bounced_for_now', round: 1, at: now, ...again } as const;
      await outbox.record([{ ...report, seq: bounced.seq, actor: 'webhook' }]);
      moved = true;
    }
    const complained = await rowOf('complained');
    if (complained?.status === 'sent') {
      const report = { event: 'complained', round: 1, at: now } as const;
      await outbox.record([{ ...report, seq: complained.seq, actor: 'webhook' }]);
      moved = true;
    }
    const [owed] = await db.read.selectFrom('owed_facts').selectAll().where('source', '=', 'plain').execute();
    if (owed) {
      await db.write.updateTable('owed_facts').set({ due_at: now }).where('source', '=', 'plain').execute();
      moved = true;
    }
    const held = await rowOf('held-back');
    if (held?.status === 'skipped_ineligible') {
      const [asked] = await db.read
        .selectFrom('operator_requests')
        .select('request_seq')
        .where('delivery_seq', '=', held.seq)
        .execute();
      if (!asked) {
        await sql`
          INSERT INTO operator_requests (delivery_seq, verb, reason, requested_by, requested_at)
          VALUES (${held.seq}, 'requeued', 'she asked for it', 'an operator', ${now})
        `.execute(db.write);
      }
      moved = true;
    }
    return moved;
  }

  async function nextDueAt(db: Database): Promise<number | null> {
    const row = await db.read
      .selectFrom('deliveries')
      .select((eb) => eb.fn.min('due_at').as('due_at'))
      .where('occasion', '=', prefix)
      .where('status', '<>', 'sent')
      .executeTakeFirst();
    return row?.due_at ?? null;
  }

  const times = (name: string) => (name === 'bounces' ? 2 : /^(unsendable|leaves)/.test(name) ? 0 : 1);
  const expected = new Map(
    [...names, ...leftBehind, ...unsendable, 'leaves', ahead].map((name) => [addressOf(name), times(name)]),
  );
  return { leaveBehind, run, expected, prefix };
}
