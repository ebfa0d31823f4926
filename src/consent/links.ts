import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { namesOf, rowsOf } from '../db/dialect.ts';
import type { Clock } from '../std/clock.ts';
import type { Ids } from '../std/ids.ts';
import type { Log } from '../std/log.ts';
import { findTakenOver } from './taken-over.ts';
import type { Owner } from './tell-source.ts';
import { createTokens } from './token.ts';

/** The link that every mail to a recipient of a source carries: made once, found again by what stands in it. */
export interface Links {
  /** The link of each delivery's recipient, made where there is none yet. */
  linksFor(deliveries: readonly Owned[]): Promise<ReadonlyMap<number, string>>;
  /** The number of the link in which this stands; undefined for one that nobody gave out, which costs two looks and no more. */
  idIn(token: string): Promise<string | undefined>;
  /** Whether somebody was given this link. Unlike the above it makes nothing. */
  isGivenOut(token: string): Promise<boolean>;
}

export interface Owned extends Owner {
  seq: number;
}

export interface LinksParts {
  db: Database;
  clock: Clock;
  log: Log;
  ids: Ids;
  /** The first signs; all are accepted. */
  secrets: readonly string[];
  /** Where people reach this deployment; asked for each batch, because a free port is known only later. */
  baseUrl: () => string;
  /** Behind that. */
  path: string;
}

const columns = { token_id: 'text', source: 'text', recipient: 'text', created_at: 'number' } as const;
const ownerColumns = { source: 'text', recipient: 'text' } as const;

export function createLinks({ db, clock, log, ids, secrets, baseUrl, path }: LinksParts): Links {
  const tokens = createTokens(secrets, 'unsubscribe');
  let isToldOfSignature = false;

  async function knownAmong(owners: readonly Owner[]): Promise<Map<string, string>> {
    const { rows } = await sql<{ token_id: string; source: string; recipient: string }>`
      SELECT unsubscribe_tokens.token_id, input.source, input.recipient
      FROM ${rowsOf<'source' | 'recipient'>(db.dialect, ownerColumns, owners.map(ownerOf))} JOIN unsubscribe_tokens
      ON unsubscribe_tokens.recipient = input.recipient AND unsubscribe_tokens.source = input.source
    `.execute(db.read);
    return new Map(rows.map((row) => [ownerKey(row), row.token_id]));
  }

  async function make(owners: readonly Owner[]): Promise<void> {
    const now = clock.now();
    const rows = owners.map(({ source, recipient }) => ({
      ...{ token_id: ids.secret(), source, recipient, created_at: now },
    }));
    const names = namesOf(columns);
    // Another worker may have made one meanwhile; the first stays.
    await sql`
      INSERT INTO unsubscribe_tokens (${names})
      SELECT ${names} FROM ${rowsOf(db.dialect, columns, rows)} WHERE true ON CONFLICT DO NOTHING
    `.execute(db.write);
  }

  /** By `ownerKey`. */
  async function idsFor(owners: readonly Owner[]): Promise<ReadonlyMap<string, string>> {
    const distinct = [...new Map(owners.map((one) => [ownerKey(one), one])).values()].sort((a, b) =>
      ownerKey(a) < ownerKey(b) ? -1 : 1,
    );
    const known = await knownAmong(distinct);
    const without = distinct.filter((one) => !known.has(ownerKey(one)));
    if (without.length === 0) return known;
    await make(without);
    return new Map([...known, ...(await knownAmong(without))]);
  }

  async function isMade(id: string): Promise<boolean> {
    const made = db.read.selectFrom('unsubscribe_tokens').select('token_id').where('token_id', '=', id);
    return (await made.executeTakeFirst()) !== undefined;
  }

  /** A number of ours that nobody can guess, and no signature of ours: who followed their link is not heard. Whoever has a link can make this of it. */
  async function tellOfSignature(token: string): Promise<void> {
    const id = tokens.claimed(token);
    if (isToldOfSignature || id === undefined || !(await isMade(id)) || isToldOfSignature) return;
    isToldOfSignature = true;
    const remedy =
      'if TOKEN_SECRET is another one than when mails were sent, put the one of that time behind it, after a comma; otherwise this link was changed on its way';
    log.warn('links.signature_unknown', { remedy });
  }

  return {
    async linksFor(deliveries) {
      const known = await idsFor(deliveries);
      const base = `${baseUrl().replace(/\/+$/, '')}${path}`;
      return new Map(
        deliveries.map((one) => {
          const id = known.get(ownerKey(one));
          if (id === undefined) throw new Error('unsubscribe: a token that was just written is not there');
          return [one.seq, `${base}/${tokens.of(id)}`];
        }),
      );
    },

    async idIn(token) {
      const id = tokens.read(token);
      if (id !== undefined) return id;
      // Whoever makes links up costs us no transaction, and hears like everybody else when there is no database.
      const owner = await findTakenOver(db.read, token);
      if (!owner) await tellOfSignature(token);
      return owner && (await idsFor([owner])).get(ownerKey(owner));
    },

    async isGivenOut(token) {
      const id = tokens.read(token);
      if (id === undefined) return (await findTakenOver(db.read, token)) !== undefined;
      return isMade(id);
    },
  };
}

const ownerOf = ({ source, recipient }: Owner): Owner => ({ source, recipient });
const ownerKey = ({ source, recipient }: Owner) => JSON.stringify([source, recipient]);
