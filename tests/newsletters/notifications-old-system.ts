import { DatabaseSync } from '@photostructure/sqlite';
import pg from 'pg';
import type { DialectName } from '../../src/db/dialect.ts';
import { emptyDatabase } from '../support/own-database.ts';

/** The older system's database, with its own tables as they were at one time or another. */
export interface OldSystem {
  url: string;
  run(...statements: string[]): Promise<void>;
  drop(): Promise<void>;
}

/** before: a row is written when its mail is sent. half: spec 002's columns are there, and nothing is backfilled. after: all of it. */
export type OldShape = 'before' | 'half' | 'after';

export async function createOldSystem(
  dialect: DialectName,
  shape: OldShape,
  idType: string,
): Promise<OldSystem> {
  const { url, drop } = await emptyDatabase(dialect);
  const run = async (...statements: string[]) => {
    if (dialect === 'sqlite') {
      const handle = new DatabaseSync(url.slice('sqlite:'.length));
      for (const statement of statements) handle.exec(statement);
      return handle.close();
    }
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  };
  await run(...tables(dialect, shape, idType));
  return { url, run, drop };
}

function tables(dialect: DialectName, shape: OldShape, id: string): string[] {
  const [time, json, truth] =
    dialect === 'postgres' ? ['TIMESTAMPTZ', 'JSONB', 'BOOLEAN'] : ['TEXT', 'TEXT', 'INTEGER'];
  const added =
    shape === 'before'
      ? ''
      : `, status VARCHAR(20)${shape === 'after' ? " NOT NULL DEFAULT 'pending'" : ''}, unsubscribe_token_id TEXT,
        rendered_subject TEXT, rendered_html TEXT, rendered_text TEXT, content_hash TEXT, template_name TEXT,
        template_version TEXT, to_email TEXT, resend_email_id TEXT, last_error TEXT, attempt_count INT DEFAULT 0,
        last_attempt_at ${time}`;
  return [
    `CREATE TABLE Notifications (id ${id} PRIMARY KEY, user_id TEXT NOT NULL, entity_cui VARCHAR(20),
      notification_type VARCHAR(50) NOT NULL, is_active ${truth} NOT NULL, config ${json}, hash TEXT NOT NULL,
      created_at ${time} NOT NULL, updated_at ${time} NOT NULL)`,
    `CREATE TABLE NotificationDeliveries (id ${id} PRIMARY KEY, user_id TEXT NOT NULL, notification_id ${id} NOT NULL,
      period_key TEXT NOT NULL, delivery_key TEXT NOT NULL, email_batch_id TEXT, sent_at ${time}, metadata ${json},
      created_at ${time}${added})`,
    `CREATE TABLE UnsubscribeTokens (token TEXT PRIMARY KEY, user_id TEXT NOT NULL, notification_id ${id} NOT NULL,
      created_at ${time}, expires_at ${time}, used_at ${time})`,
  ];
}

const cell = (value: unknown) =>
  value === null || value === undefined
    ? 'NULL'
    : typeof value === 'number'
      ? String(value)
      : `'${(typeof value === 'object' ? JSON.stringify(value) : String(value)).replaceAll("'", "''")}'`;

/** One INSERT of all that is given. */
export function insert(table: string, rows: readonly Record<string, unknown>[]): string {
  const names = Object.keys(rows[0] ?? {});
  const lines = rows.map((row) => `(${names.map((name) => cell(row[name])).join(', ')})`);
  return `INSERT INTO ${table} (${names.join(', ')}) VALUES ${lines.join(', ')}`;
}

const at = '2025-11-03 08:00:00+00';

export const oldNotification = (id: unknown, more: Record<string, unknown> = {}) => ({
  ...{ id, user_id: 'user_ana', entity_cui: '4305857', notification_type: 'newsletter_entity_monthly' },
  ...{ is_active: '1', config: null, hash: `h${id}`, created_at: at, updated_at: at },
  ...more,
});

export const oldDelivery = (id: unknown, notificationId: unknown, more: Record<string, unknown> = {}) => ({
  ...{ id, user_id: 'user_ana', notification_id: notificationId, period_key: '2025-10' },
  ...{ delivery_key: `k${id}`, sent_at: at, created_at: at },
  ...more,
});
