import { sql } from 'kysely';
import type { Database } from '../../../db/database.ts';
import { rowsOf } from '../../../db/dialect.ts';
import type { Period } from '../period.ts';
import { type AmountLine, partsOf, type Side } from './known-figures.ts';

/** Amounts of an entity in a period, with whatever it may be added up from, and of one side the chapters as well. */
export interface AmountsWanted {
  cui: string;
  period: Period;
  chaptersOf: Side | null;
}

const columns = { cui: 'text', period_key: 'text', side: 'text', wants_chapters: 'number' } as const;

/**
 * One statement, however many are wanted. Where a side has its total and nobody asks for chapters, the total is all that is looked
 * at: a town has dozens of chapters a month. That is decided by what is wanted alone, before any chapter is read.
 */
export async function readAmounts(db: Database, wanted: readonly AmountsWanted[]): Promise<AmountLine[]> {
  const rows = inputOf(wanted);
  if (rows.length === 0) return [];
  const lineColumns = sql`amounts.cui, amounts.period_key, amounts.side, amounts.chapter, amounts.chapter_name, amounts.amount, amounts.currency`;
  const isWanted = sql`amounts.cui = wanted.cui AND amounts.period_key = wanted.period_key AND amounts.side = wanted.side`;
  const { rows: lines } = await sql<AmountLine>`
    WITH wanted AS (SELECT * FROM ${rowsOf(db.dialect, columns, rows)})
    SELECT ${lineColumns} FROM wanted CROSS JOIN budget_amounts AS amounts WHERE ${isWanted} AND amounts.chapter = ''
    UNION ALL
    SELECT ${lineColumns} FROM wanted CROSS JOIN budget_amounts AS amounts WHERE ${isWanted} AND amounts.chapter > ''
      AND (wanted.wants_chapters = 1 OR NOT EXISTS (
        SELECT 1 FROM budget_amounts AS whole
        WHERE whole.cui = wanted.cui AND whole.period_key = wanted.period_key AND whole.side = wanted.side AND whole.chapter = ''
      ))
  `.execute(db.read);
  return lines;
}

interface InputRow {
  cui: string;
  period_key: string;
  side: Side;
  wants_chapters: number;
}

/** Each side of a period of an entity once: its lines would be added up twice. */
function inputOf(wanted: readonly AmountsWanted[]): InputRow[] {
  const byKey = new Map<string, InputRow>();
  for (const { cui, period, chaptersOf } of wanted) {
    for (const period_key of withParts(period)) {
      for (const side of ['income', 'expenses'] as const) {
        const key = `${cui} ${period_key} ${side}`;
        const row = byKey.get(key) ?? { cui, period_key, side, wants_chapters: 0 };
        if (chaptersOf === side) row.wants_chapters = 1;
        byKey.set(key, row);
      }
    }
  }
  return [...byKey.values()];
}

function withParts(period: Period): string[] {
  return [period.key, ...partsOf(period).flatMap(withParts)];
}
