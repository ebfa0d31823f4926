import { type Selectable, sql } from 'kysely';
import type { Tx } from '../db/database.ts';
import { rowsOf } from '../db/dialect.ts';
import type { Schema } from '../db/schema.ts';
import { type Address, addressKey, parseAddress } from '../domain/address.ts';
import { everySource, recipientActor, undoWithinMs } from '../domain/suppression.ts';
import { resumeDeliveries, stopDeliveries } from '../outbox/stop.ts';
import type { Log } from '../std/log.ts';
import { exceptSource, reopenTokens } from './come-back.ts';
import { createLinks, type LinksParts, type Owned } from './links.ts';
import { liftExcepted, liftOwnLine, takeBackLine, wantAgain } from './own-line.ts';
import type { Suppressions } from './suppressions.ts';
import { type Owner, type OwnerListener, tellSource } from './tell-source.ts';

/**
 * The way out of a source's mails. Every recipient of a source has one link, in every mail the same. What comes through it
 * is done in one transaction, as often as anybody asks; a link that nobody gave out does nothing, and the caller is not told.
 */
export interface Unsubscribe {
  /** The link of each delivery's recipient, made where there is none yet. */
  linksFor(deliveries: readonly Owned[]): Promise<ReadonlyMap<number, string>>;
  /** Whether somebody was given a link with this in it; asking changes nothing. */
  isGivenOut(token: string): Promise<boolean>;
  /** No more of this source. */
  stop(token: string, via: Via): Promise<void>;
  /** No more of any source to this address. */
  stopEverything(token: string): Promise<void>;
  /** Takes back either, for a day; what had been stopped waits again. */
  undo(token: string): Promise<void>;
  /** The same for owners whose source has their word for it, in its transaction; it need not be told. Answers for how many. */
  undoFor(owners: readonly Owner[], tx: Tx): Promise<number>;
  /**
   * Whenever they left: these owners want mail again, and a source has their word for it, in its transaction. `links` are all links
   * that this person has with the source, through one of which they may have stopped everything: that holds on for all other sources.
   * What was stopped within a day waits again.
   */
  comeBack(owners: readonly Owner[], links: readonly Owner[], tx: Tx): Promise<void>;
  /** Whoever stopped everything to this address wants its mails again, and a source has their proof, in its transaction. Answers whether they had. */
  startAgain(address: Address, tx: Tx): Promise<boolean>;
  /** Which of these recipients have left which source, and when. */
  leftBy(...recipients: string[]): Promise<(Owner & { at: number })[]>;
  /** An operator brings them back, at their wish; what was stopped stays so. Answers whether they had left. */
  reopen(owner: Owner, why: { by: string; because: string }): Promise<boolean>;
}

/** one-click: a mail program asked. page: a person pressed the button. link: the deployment takes following a link for a wish. */
export type Via = 'one-click' | 'page' | 'link';

export interface UnsubscribeParts extends Omit<LinksParts, 'path'> {
  log: Log;
  suppressions: Suppressions;
  /** Called after what waited was stopped, or waits again. */
  onLeft?: OwnerListener;
  onReturned?: OwnerListener;
}

export const unsubscribePath = '/api/v1/notifications/unsubscribe';

const ownerColumns = { source: 'text', recipient: 'text' } as const;
const ownerOf = ({ source, recipient }: Owner): Owner => ({ source, recipient });
const actor = recipientActor;

export function createUnsubscribe(parts: UnsubscribeParts): Unsubscribe {
  const { db, clock, log, suppressions, onLeft, onReturned } = parts;
  const links = createLinks({ ...parts, path: unsubscribePath });
  const outboxParts = { dialect: db.dialect, log };

  /** With the row of a token under a lock, so that of two clicks one comes after the other; without one nothing is done. */
  async function withOwner<T>(
    token: string,
    work: (found: TokenRow, tx: Tx) => Promise<T>,
  ): Promise<T | undefined> {
    const id = await links.idIn(token);
    if (id === undefined) return undefined;
    return db.transaction(async (tx) => {
      let row = tx.selectFrom('unsubscribe_tokens').selectAll().where('token_id', '=', id);
      if (db.dialect === 'postgres') row = row.forUpdate();
      const found = await row.executeTakeFirst();
      return found && work(found, tx);
    });
  }

  async function addressOf({ source, recipient }: Owner, tx: Tx): Promise<Address | null> {
    const row = await tx
      .selectFrom('deliveries')
      .select('to_email')
      .where('recipient', '=', recipient)
      // Hidden from SQLite, which would read all of the source's.
      .where(sql<boolean>`source || '' = ${source}`)
      .where('to_email', 'is not', null)
      .orderBy('seq', 'desc')
      .limit(1)
      .executeTakeFirst();
    if (row) return row.to_email as Address;
    // Retention has blanked it. Some sources know people by nothing but their address.
    const parsed = parseAddress(recipient);
    return parsed.ok ? parsed.address : null;
  }

  async function stopIn(tx: Tx, found: TokenRow, via: Via) {
    const { token_id, source, recipient } = found;
    if (found.unsubscribed_at === null) {
      await tx
        .updateTable('unsubscribe_tokens')
        .set({ unsubscribed_at: clock.now(), unsubscribed_via: via })
        .where('token_id', '=', token_id)
        .execute();
    }
    // Once more is not wrong: something may have come to wait while this person was being unsubscribed.
    const order = { whose: { source, recipient }, event: 'unsubscribed', actor, detail: { via } } as const;
    return { source, via, stopped: await stopDeliveries(tx, order, clock.now(), outboxParts) };
  }

  async function stopEverythingIn(tx: Tx, found: TokenRow) {
    const stop = await stopIn(tx, found, 'page');
    const address = await addressOf(found, tx);
    if (address === null) return stop;
    // Who had come back for some, and now wants nothing again, has a new line, without exceptions.
    await liftExcepted(tx, address, clock.now());
    const { added } = await suppressions.add([{ address, reason: 'unsubscribed' }], actor, tx);
    // A line that was there before is not this click's to take back.
    if (added === 0) return stop;
    const line = await tx
      .selectFrom('suppressions')
      .select('suppression_seq')
      .where('address_key', '=', addressKey(address))
      .where('scope', '=', everySource)
      .where('reason', '=', 'unsubscribed')
      .where('lifted_at', 'is', null)
      .executeTakeFirst();
    await tx
      .updateTable('unsubscribe_tokens')
      .set({ suppression_seq: line?.suppression_seq ?? null })
      .where('token_id', '=', found.token_id)
      .execute();
    return stop;
  }

  const takenBack = { actor, detail: { reason: 'they took back their unsubscribe' } };

  async function undoOwn(tx: Tx, { token_id, unsubscribed_at, ...found }: TokenRow) {
    const now = clock.now();
    if (unsubscribed_at === null || now - unsubscribed_at > undoWithinMs)
      return { resumed: 0, isBack: false };
    await tx
      .updateTable('unsubscribe_tokens')
      .set({ unsubscribed_at: null, unsubscribed_via: null })
      .where('token_id', '=', token_id)
      .execute();
    const order = { whose: ownerOf(found), since: unsubscribed_at, ...takenBack };
    return { resumed: await resumeDeliveries(tx, order, now, outboxParts), isBack: true };
  }

  async function undoIn(tx: Tx, found: TokenRow) {
    const now = clock.now();
    const own = await undoOwn(tx, found);
    // Whoever left this source long ago may have stopped everything just now.
    const { source, suppression_seq } = found;
    const line = suppression_seq === null ? undefined : await takeBackLine(tx, suppression_seq, now);
    if (!line) return { source, ...own };
    const whose = { addressKeys: [line.address_key], source: null };
    const order = { whose, since: line.created_at, ...takenBack };
    const resumed = own.resumed + (await resumeDeliveries(tx, order, now, outboxParts));
    return { source, resumed, isBack: true };
  }

  async function tokensOf(owners: readonly Owner[], tx: Tx): Promise<TokenRow[]> {
    const { rows } = await sql<TokenRow>`
      SELECT unsubscribe_tokens.* FROM ${rowsOf<'source' | 'recipient'>(db.dialect, ownerColumns, owners.map(ownerOf))}
      JOIN unsubscribe_tokens
      ON unsubscribe_tokens.recipient = input.recipient AND unsubscribe_tokens.source = input.source
      WHERE unsubscribe_tokens.unsubscribed_at IS NOT NULL OR unsubscribe_tokens.suppression_seq IS NOT NULL
      ORDER BY unsubscribe_tokens.token_id ${db.dialect === 'postgres' ? sql`FOR UPDATE OF unsubscribe_tokens` : sql``}
    `.execute(tx);
    return rows;
  }

  const undoFor: Unsubscribe['undoFor'] = async (owners, tx) => {
    let back = 0;
    for (const found of await tokensOf(owners, tx)) if ((await undoIn(tx, found)).isBack) back += 1;
    return back;
  };

  return {
    linksFor: links.linksFor,
    isGivenOut: links.isGivenOut,

    async stop(token, via) {
      const done = await withOwner(token, async (found, tx) => {
        const stop = await stopIn(tx, found, via);
        await tellSource(onLeft, ownerOf(found), tx, log);
        return stop;
      });
      // After the commit: a transaction may be tried again, or come to nothing.
      if (done) log.info('consent.unsubscribed', done);
    },

    async stopEverything(token) {
      const done = await withOwner(token, async (found, tx) => {
        const stop = await stopEverythingIn(tx, found);
        await tellSource(onLeft, ownerOf(found), tx, log, 'everything');
        return stop;
      });
      if (done) log.info('consent.everything_stopped', done);
    },

    async undo(token) {
      const done = await withOwner(token, async (found, tx) => {
        const { isBack, ...undone } = await undoIn(tx, found);
        if (isBack) await tellSource(onReturned, ownerOf(found), tx, log);
        return undone;
      });
      if (done) log.info('consent.taken_back', done);
    },

    undoFor,

    async comeBack(owners, links, tx) {
      const now = clock.now();
      for (const found of await tokensOf(owners, tx)) await undoOwn(tx, found);
      const { lifted_by: by, lifted_because: because } = wantAgain;
      await reopenTokens(tx, db.dialect, owners, { by, because }, now);
      for (const source of new Set(owners.map((owner) => owner.source))) {
        const lines = await exceptSource(tx, db.dialect, links, source);
        const [since] = lines.map(({ created_at }) => created_at).sort((a, b) => a - b);
        if (since === undefined) continue;
        log.info('consent.wanted_again', { source });
        const recipients = owners
          .filter((owner) => owner.source === source)
          .map(({ recipient }) => recipient);
        const order = {
          whose: { source, recipients },
          since: Math.max(since, now - undoWithinMs),
          ...takenBack,
        };
        await resumeDeliveries(tx, order, now, outboxParts);
      }
    },

    startAgain: (address, tx) => liftOwnLine(tx, address, clock.now()),

    async leftBy(...recipients) {
      const rows = await db.read
        .selectFrom('unsubscribe_tokens')
        .select(['source', 'recipient', 'unsubscribed_at'])
        .where('recipient', 'in', recipients)
        .where('unsubscribed_at', 'is not', null)
        .orderBy('source')
        .orderBy('recipient')
        .execute();
      return rows.map(({ unsubscribed_at, ...owner }) => ({ ...owner, at: unsubscribed_at ?? 0 }));
    },

    async reopen(owner, { by, because }) {
      const now = clock.now();
      const isDone = await db.transaction(async (tx) => {
        const reopened = await reopenTokens(tx, db.dialect, [owner], { by, because }, now);
        if (reopened > 0) await tellSource(onReturned, ownerOf(owner), tx, log);
        return reopened > 0;
      });
      if (isDone) log.info('consent.reopened', { source: owner.source });
      return isDone;
    },
  };
}

type TokenRow = Selectable<Schema['unsubscribe_tokens']>;
