import { programOutside, type Rule } from './source-files.ts';
import { withoutComments } from './source-text.ts';

const quote = String.raw`\\?["'\`]?`;
const table = String.raw`(?:${quote}\w+${quote}\.)?${quote}deliveries(?!\w)`;
/** The table's name put in by Kysely: `${'${'}sql.table('deliveries')}`. */
const placeholder = String.raw`\$\{\s*sql\s*\.\s*\w+\s*\(\s*['"\`]deliveries(?!\w)`;
const target = `(?:${table}|${placeholder})`;

const writes: readonly RegExp[] = [
  /(?<![\w$])(?:updateTable|insertInto|deleteFrom|replaceInto|mergeInto)\s*\(\s*\[?\s*['"`]deliveries(?!\w)/g,
  // Up to SET, so that a sentence about deliveries is not taken for a statement.
  new RegExp(String.raw`\bUPDATE\s+(?:OR\s+\w+\s+)?(?:ONLY\s+)?${target}[^;\`]{0,120}?\bSET\b`, 'gi'),
  new RegExp(String.raw`\b(?:INSERT|REPLACE|MERGE)\s+(?:OR\s+\w+\s+)?INTO\s+${target}`, 'gi'),
  new RegExp(String.raw`\bDELETE\s+FROM\s+(?:ONLY\s+)?${target}`, 'gi'),
];

/** Migrations may: they run when nobody else does. */
export const onlyTheOutboxWritesDeliveries: Rule = (files) =>
  programOutside(files, ['src/outbox', 'src/db/migrations']).flatMap(({ path, text }) => {
    // Also without the comments of SQL itself, which may stand between two of its words.
    const code = withoutComments(text).replace(/\/\*[\s\S]*?\*\//g, ' ');
    const found = writes.flatMap((pattern) => [...code.matchAll(pattern)].map(([match]) => match));
    return found.map(
      (match) =>
        `${path} writes deliveries (${match.replace(/\s+/g, ' ').trim()}): only src/outbox may, because with a second writer nobody can say what may follow a status.`,
    );
  });
