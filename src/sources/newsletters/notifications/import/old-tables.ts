import { type ForeignDatabase, type ForeignTable, quoted } from '../../../../db/foreign.ts';
import { Refusal } from '../../../../std/refusal.ts';

/**
 * The tables of the older system, as far as they are there: before and after spec 002's own migration, or half-way through it
 * (002-P1-01). Read page by page in the order of their ids; a column that it does not have is null.
 */
export interface OldTables {
  notifications: OldTable | null;
  deliveries: OldTable | null;
  links: OldTable | null;
}

export interface OldTable {
  count(): Promise<number>;
  pages(limit: number): AsyncGenerator<OldRow[]>;
  /** Whether it has this column at all. */
  has(column: string): boolean;
}

export type OldRow = Readonly<Record<string, string | null>>;

const names = {
  notifications: 'Notifications',
  deliveries: 'NotificationDeliveries',
  links: 'UnsubscribeTokens',
};

const columns = {
  notifications: [
    ...[
      'id',
      'user_id',
      'entity_cui',
      'notification_type',
      'is_active',
      'config',
      'created_at',
      'updated_at',
    ],
  ],
  deliveries: [
    ...[
      'id',
      'user_id',
      'notification_id',
      'period_key',
      'status',
      'to_email',
      'resend_email_id',
      'last_error',
    ],
    ...['email_batch_id', 'attempt_count', 'last_attempt_at', 'sent_at', 'created_at'],
  ],
  links: ['token', 'user_id', 'notification_id', 'created_at', 'used_at'],
} as const;

const needed = {
  notifications: ['id', 'user_id', 'notification_type'],
  deliveries: ['id', 'user_id', 'notification_id', 'period_key'],
  links: ['token', 'user_id', 'notification_id'],
} as const;

type Kind = keyof typeof columns;

export async function findOldTables(from: ForeignDatabase): Promise<OldTables> {
  // In a database of ours the names stand for our own tables and views.
  if ((await from.table('instance')) && (await from.table('delivery_counts'))) {
    throw new Refusal(
      'own_database',
      'The database to read from is one of Tidings itself. Give that of the older system.',
    );
  }
  const found = {
    notifications: await from.table(names.notifications),
    deliveries: await from.table(names.deliveries),
    links: await from.table(names.links),
  };
  if (!found.notifications && !found.deliveries) {
    throw new Refusal(
      'nothing_to_import',
      `There is no table ${names.notifications} and no ${names.deliveries} in that database. Is it the right one, and may this user see them?`,
    );
  }
  for (const kind of ['notifications', 'deliveries', 'links'] as const) requireColumns(kind, found[kind]);
  const { links } = found;
  // Whoever has used the link in a mail has ended the notification by it.
  const isLeft = links?.columns.has('used_at')
    ? `EXISTS (SELECT 1 FROM ${links.name} AS links WHERE links."notification_id" = old."id" AND links."used_at" IS NOT NULL)`
    : 'FALSE';
  const isLeftAsText = `CASE WHEN ${isLeft} THEN '1' ELSE '0' END AS "has_left"`;
  return {
    notifications: found.notifications
      ? oldTable(from, 'notifications', found.notifications, 'id', isLeftAsText)
      : null,
    deliveries: found.deliveries ? oldTable(from, 'deliveries', found.deliveries, 'id') : null,
    links: links ? oldTable(from, 'links', links, 'token') : null,
  };
}

function requireColumns(kind: Kind, table: ForeignTable | undefined): void {
  const missing = table ? needed[kind].filter((column) => !table.columns.has(column)) : [];
  if (missing.length === 0) return;
  throw new Refusal(
    'unknown_columns',
    `The table ${names[kind]} has no ${missing.join(', ')}: this is not the one that is meant.`,
  );
}

function oldTable(
  from: ForeignDatabase,
  kind: Kind,
  { name, columns: there }: ForeignTable,
  key: string,
  ...more: string[]
): OldTable {
  const wanted = columns[kind].filter((column) => there.has(column));
  const texts = [
    ...wanted.map((column) => `CAST(old.${quoted(column)} AS TEXT) AS ${quoted(column)}`),
    ...more,
  ];
  const place = (number: number) => (from.dialect === 'postgres' ? `$${number}` : '?');
  const page = (behind: string) =>
    `SELECT ${texts.join(', ')} FROM ${name} AS old ${behind} ORDER BY old.${quoted(key)} LIMIT `;
  return {
    has: (column) => there.has(column),
    async count() {
      const [row] = await from.query(`SELECT CAST(count(*) AS TEXT) AS count FROM ${name}`);
      return Number(row?.count ?? 0);
    },
    async *pages(limit) {
      let last: string | undefined;
      for (;;) {
        const rows =
          last === undefined
            ? await from.query(`${page('')}${limit}`)
            : await from.query(`${page(`WHERE old.${quoted(key)} > ${place(1)}`)}${limit}`, [last]);
        if (rows.length > 0) yield rows;
        if (rows.length < limit) return;
        last = rows.at(-1)?.[key] ?? '';
      }
    },
  };
}
