// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the planted mistakes are programs.
import { describe, expect, test } from 'vitest';
import { rules } from './rules.ts';
import { planted, readSources } from './source-files.ts';

describe('only the outbox writes deliveries', () => {
  const rule = rules['only the outbox writes deliveries'];
  const writes = (path: string, match: string) =>
    `${path} writes deliveries (${match}): only src/outbox may, because with a second writer nobody can say what may follow a status.`;

  test.each([
    ["tx.updateTable('deliveries').set({ status: 'sent' });", "updateTable('deliveries"],
    ['tx.updateTable("deliveries as d").set({});', 'updateTable("deliveries'],
    ["tx\n  .insertInto(\n    'deliveries',\n  )\n  .values(rows);", "insertInto( 'deliveries"],
    ["tx.deleteFrom('deliveries').execute();", "deleteFrom('deliveries"],
    ["sql`UPDATE deliveries SET status = 'sent'`;", 'UPDATE deliveries SET'],
    ["sql`\n  update\n    deliveries\n  set status = 'sent'\n`;", 'update deliveries set'],
    ['sql`UPDATE public."deliveries" AS d SET round = 1`;', 'UPDATE public."deliveries" AS d SET'],
    ["sql`UPDATE ${sql.table('deliveries')} SET round = 1`;", "UPDATE ${sql.table('deliveries')} SET"],
    ['sql`insert into deliveries (id) values (1)`;', 'insert into deliveries'],
    ['sql`INSERT OR IGNORE INTO deliveries (id) VALUES (1)`;', 'INSERT OR IGNORE INTO deliveries'],
    ["db.script('DELETE FROM deliveries', tx);", 'DELETE FROM deliveries'],
    ['sql`DELETE /* all */ FROM deliveries`;', 'DELETE FROM deliveries'],
  ])('%s', (text, match) => {
    expect(rule(planted('src/consent/unsubscribe.ts', text))).toEqual([
      writes('src/consent/unsubscribe.ts', match),
    ]);
  });

  test.each([
    "tx.updateTable('delivery_mails').set({});",
    "tx.insertInto('deliveries_archive').values(rows);",
    "tx.selectFrom('deliveries').selectAll();",
    'sql`UPDATE delivery_mails SET round = 1 FROM deliveries`;',
    "log.info('update deliveries later');",
    "// tx.updateTable('deliveries') would be wrong here.",
  ])('is none: %s', (text) => {
    expect(rule(planted('src/consent/unsubscribe.ts', text))).toEqual([]);
  });

  test('the outbox itself does, and a rule that saw nothing there would be blind', () => {
    const moved = readSources()
      .filter(({ path }) => path.startsWith('src/outbox/'))
      .map(({ path, text }) => ({ path: path.replace('outbox', 'elsewhere'), text }));
    expect(rule(moved)).toEqual(
      expect.arrayContaining([
        writes('src/elsewhere/claim.ts', 'UPDATE deliveries SET'),
        writes('src/elsewhere/enqueue.ts', 'INSERT INTO deliveries'),
        writes('src/elsewhere/write-rows.ts', 'UPDATE deliveries SET'),
      ]),
    );
  });
});
