import { sql } from 'kysely';
import type { Database } from '../../src/db/database.ts';
import { rowsOf } from '../../src/db/dialect.ts';
import { type Period, periodBefore } from '../../src/sources/newsletters/period.ts';

/** Very many people who follow some town halls, of which the figures are known: put into the tables as an import would. */
export const userIdOf = (number: number) => `user-${number}`;
export const emailOf = (number: number) => `citizen-${number}@example.org`;

const entities = 300;
const chunk = 5_000;

export async function addFollowers(db: Database, count: number, period: Period, now: number): Promise<void> {
  const cuis = Array.from({ length: entities }, (_, index) => String(4_000_000 + index));
  await addBudgets(db, cuis, period, now);
  for (let first = 0; first < count; first += chunk) {
    const numbers = Array.from({ length: Math.min(chunk, count - first) }, (_, index) => first + index);
    const users = numbers.map((number) => ({ user_id: userIdOf(number), email: emailOf(number) }));
    const wishes = numbers.map((number) => ({
      ...{ id: `wish-${number}`, user_id: userIdOf(number), cui: cuis[number % entities] ?? '' },
    }));
    await db.transaction(async (tx) => {
      await sql`
        INSERT INTO users (user_id, email, is_verified, updated_at)
        SELECT user_id, email, 1, ${sql.lit(now)} FROM ${rowsOf(db.dialect, { user_id: 'text', email: 'text' }, users)}
      `.execute(tx);
      await sql`
        INSERT INTO notifications (id, user_id, notification_type, entity_cui, hash, locale, is_active, created_at, updated_at)
        SELECT id, user_id, 'newsletter_entity_monthly', cui, id, 'ro', 1, ${sql.lit(now)}, ${sql.lit(now)}
        FROM ${rowsOf(db.dialect, { id: 'text', user_id: 'text', cui: 'text' }, wishes)}
      `.execute(tx);
    });
  }
}

async function addBudgets(db: Database, cuis: readonly string[], period: Period, now: number): Promise<void> {
  const names = cuis.map((cui) => ({ cui, name: `Primăria ${cui}` }));
  const lines = cuis.flatMap((cui, index) =>
    [period, periodBefore(period)].flatMap(({ key: period_key }) =>
      ['51', '65', '66', '68', '70', '84'].flatMap((chapter, place) => [
        {
          cui,
          period_key,
          side: 'expenses',
          chapter,
          chapter_name: `Capitolul ${chapter}`,
          amount: `${1_000_000 + index * 37 + place}.50`,
        },
        {
          cui,
          period_key,
          side: 'income',
          chapter,
          chapter_name: null,
          amount: `${1_100_000 + index * 41 + place}.25`,
        },
      ]),
    ),
  );
  const columns = {
    ...({ cui: 'text', period_key: 'text', side: 'text' } as const),
    ...({ chapter: 'text', chapter_name: 'text', amount: 'text' } as const),
  };
  await db.transaction(async (tx) => {
    await sql`
      INSERT INTO budget_entities (cui, name, population, updated_at)
      SELECT cui, name, 10000, ${sql.lit(now)} FROM ${rowsOf(db.dialect, { cui: 'text', name: 'text' }, names)}
    `.execute(tx);
    await sql`
      INSERT INTO budget_amounts (cui, period_key, side, chapter, chapter_name, amount, currency)
      SELECT cui, period_key, side, chapter, chapter_name, amount, 'RON' FROM ${rowsOf(db.dialect, columns, lines)}
    `.execute(tx);
  });
}
