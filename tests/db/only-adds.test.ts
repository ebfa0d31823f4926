import { describe, expect, test } from 'vitest';
import { readMigrations } from '../../src/db/migrate.ts';

/**
 * During an update processes of the last release work with a database that the new one has migrated. What they read or write must
 * still be there. SQLite is not looked at: it changes a table by making it anew, and nobody updates it process by process.
 */
const firstVersion = 9; // Those before it were never released one by one.
const marked = /^-- Stop all processes first/m;

const breaking = [
  /\bDROP (?:TABLE|COLUMN|VIEW|FUNCTION|TYPE)\b/i,
  /\bRENAME\b/i,
  /\bALTER COLUMN \w+ (?:SET DATA )?(?:TYPE|SET NOT NULL|DROP DEFAULT)\b/i,
  /\bADD COLUMN (?:IF NOT EXISTS )?\w+ [^,;]*\bNOT NULL\b(?![^,;]*\bDEFAULT\b)/i,
];

function breaks(text: string): boolean {
  const statements = text.replace(/--.*$/gm, '');
  return !marked.test(text) && breaking.some((pattern) => pattern.test(statements));
}

describe('a migration only adds, or says that all processes must be stopped first', () => {
  test('each on PostgreSQL', () => {
    const later = readMigrations('postgres').filter(({ version }) => version >= firstVersion);
    expect(later.filter(({ text }) => breaks(text)).map(({ name }) => name)).toEqual([]);
  });

  test.each([
    'DROP TABLE suppressions;',
    'ALTER TABLE deliveries DROP COLUMN account;',
    'ALTER TABLE suppressions_kept RENAME TO suppressions;',
    'ALTER TABLE deliveries RENAME COLUMN account TO holder;',
    'ALTER TABLE deliveries ALTER COLUMN account SET NOT NULL;',
    'ALTER TABLE deliveries ALTER COLUMN seq TYPE INTEGER;',
    'ALTER TABLE deliveries ADD COLUMN shape TEXT NOT NULL;',
  ])('%s', (text) => {
    expect(breaks(text)).toBe(true);
    expect(breaks(`-- Stop all processes first: nobody may write the old column.\n${text}`)).toBe(false);
  });

  test.each([
    'CREATE TABLE queue_marks (name TEXT NOT NULL PRIMARY KEY);',
    'ALTER TABLE instance ADD COLUMN seats_feed TEXT;',
    "ALTER TABLE deliveries ADD COLUMN shape TEXT NOT NULL DEFAULT 'plain', ADD COLUMN size BIGINT;",
    'DROP INDEX deliveries_attention;\nCREATE INDEX deliveries_listed ON deliveries (source);',
    '-- Once there was a DROP TABLE here.\nCREATE INDEX a ON b (c);',
  ])('is fine: %s', (text) => expect(breaks(text)).toBe(false));
});
