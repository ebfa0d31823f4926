import { sql } from 'kysely';
import type { Database, Tx } from '../../../db/database.ts';
import { type DialectName, namesOf, rowsOf } from '../../../db/dialect.ts';
import type { Clock } from '../../../std/clock.ts';
import { type AmountEntry, amountKey, type BudgetEntry, type EntityEntry } from './budget-entry.ts';

/**
 * Where imported budgets are kept. To put the same in again changes nothing; what is new of something known takes its place. A period
 * of an entity has one currency: amounts in two are never added up, so that a total would leave some out.
 */
export interface BudgetStore {
  /** In one transaction. */
  put(entries: readonly BudgetEntry[]): Promise<Put>;
  /** All amounts of an entity in a period; answers how many there were. */
  remove(cui: string, periodKey: string): Promise<number>;
}

interface Put {
  /** How many are new or other than before. */
  changed: number;
  /** Why some were not taken, by their places. */
  refused: ReadonlyMap<number, string>;
}

const entityColumns = {
  ...({ cui: 'text', name: 'text', entity_type: 'text', county_name: 'text' } as const),
  ...({ population: 'number', updated_at: 'number' } as const),
};
const amountColumns = {
  ...({ cui: 'text', period_key: 'text', side: 'text', chapter: 'text' } as const),
  ...({ chapter_name: 'text', amount: 'text', currency: 'text' } as const),
};

export function createBudgetStore({ db, clock }: { db: Database; clock: Clock }): BudgetStore {
  return {
    put: (entries) =>
      db.transaction(async (tx) => {
        const entities = entries.filter((entry) => entry.kind === 'entity');
        const refused = await otherCurrencies(tx, db.dialect, entries);
        const amounts = entries.filter(
          (entry, place): entry is AmountEntry => entry.kind === 'amount' && !refused.has(place),
        );
        const changed =
          (await putEntities(tx, db.dialect, entities, clock.now())) +
          (await putAmounts(tx, db.dialect, amounts));
        return { changed, refused };
      }),
    async remove(cui, periodKey) {
      const { numDeletedRows } = await db.write
        .deleteFrom('budget_amounts')
        .where('cui', '=', cui)
        .where('period_key', '=', periodKey)
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

/** What is known holds, and of what is not known yet the first. One line of a period is looked at: the others are in its currency. */
async function otherCurrencies(
  tx: Tx,
  dialect: DialectName,
  entries: readonly BudgetEntry[],
): Promise<ReadonlyMap<number, string>> {
  const ofPeriod = new Map<string, { cui: string; period_key: string }>();
  for (const entry of entries)
    if (entry.kind === 'amount')
      ofPeriod.set(periodOf(entry), { cui: entry.cui, period_key: entry.periodKey });
  const { rows } = await sql<{ cui: string; period_key: string; currency: string | null }>`
    SELECT input.cui, input.period_key, (
      SELECT currency FROM budget_amounts AS known
      WHERE known.cui = input.cui AND known.period_key = input.period_key LIMIT 1
    ) AS currency
    FROM ${rowsOf(dialect, { cui: 'text', period_key: 'text' }, [...ofPeriod.values()])}
  `.execute(tx);
  const currencies = new Map(
    rows.flatMap(({ cui, period_key, currency }) =>
      currency === null ? [] : [[periodOf({ cui, periodKey: period_key }), currency]],
    ),
  );
  const refused = new Map<number, string>();
  for (const [place, entry] of entries.entries()) {
    if (entry.kind !== 'amount') continue;
    const { cui, periodKey, currency } = entry;
    const known = currencies.get(periodOf(entry));
    if (known === undefined) currencies.set(periodOf(entry), currency);
    else if (known !== currency)
      refused.set(
        place,
        `It is in ${currency}, and the budget of CUI ${cui} in ${periodKey} is in ${known}: a period has one currency. To begin it anew in another: npx tidings budget remove ${cui} ${periodKey}`,
      );
  }
  return refused;
}

const periodOf = ({ cui, periodKey }: Pick<AmountEntry, 'cui' | 'periodKey'>) => `${cui} ${periodKey}`;

/** A file that does not say how many live there takes nothing away from one that did. */
async function putEntities(
  tx: Tx,
  dialect: DialectName,
  entities: readonly EntityEntry[],
  now: number,
): Promise<number> {
  if (entities.length === 0) return 0;
  const names = namesOf(entityColumns);
  const rows = ordered(entities, ({ cui }) => cui).map((entity) => ({
    ...{ cui: entity.cui, name: entity.name, entity_type: entity.entityType },
    ...{ county_name: entity.countyName, population: entity.population, updated_at: now },
  }));
  const { rows: written } = await sql`
    INSERT INTO budget_entities AS known (${names}) SELECT ${names} FROM ${rowsOf(dialect, entityColumns, rows)} WHERE true
    ON CONFLICT (cui) DO UPDATE SET
      name = excluded.name,
      entity_type = COALESCE(excluded.entity_type, known.entity_type),
      county_name = COALESCE(excluded.county_name, known.county_name),
      population = COALESCE(excluded.population, known.population),
      updated_at = excluded.updated_at
    WHERE excluded.name <> known.name
      OR COALESCE(excluded.entity_type, known.entity_type, '') <> COALESCE(known.entity_type, '')
      OR COALESCE(excluded.county_name, known.county_name, '') <> COALESCE(known.county_name, '')
      OR COALESCE(excluded.population, known.population, -1) <> COALESCE(known.population, -1)
    RETURNING cui
  `.execute(tx);
  return written.length;
}

async function putAmounts(tx: Tx, dialect: DialectName, amounts: readonly AmountEntry[]): Promise<number> {
  if (amounts.length === 0) return 0;
  const names = namesOf(amountColumns);
  const rows = ordered(amounts, amountKey).map(({ kind: _, periodKey, chapterName, ...amount }) => ({
    ...{ ...amount, period_key: periodKey, chapter_name: chapterName },
  }));
  const { rows: written } = await sql`
    INSERT INTO budget_amounts AS known (${names}) SELECT ${names} FROM ${rowsOf(dialect, amountColumns, rows)} WHERE true
    ON CONFLICT (cui, period_key, side, chapter) DO UPDATE SET
      chapter_name = COALESCE(excluded.chapter_name, known.chapter_name),
      amount = excluded.amount,
      currency = excluded.currency
    WHERE excluded.amount <> known.amount OR excluded.currency <> known.currency
      OR COALESCE(excluded.chapter_name, known.chapter_name, '') <> COALESCE(known.chapter_name, '')
    RETURNING cui
  `.execute(tx);
  return written.length;
}

/** Each once, the last of those that say of the same; in one order for everybody, so that two imports never wait in a circle. */
function ordered<Entry>(entries: readonly Entry[], keyOf: (entry: Entry) => string): Entry[] {
  const byKey = new Map(entries.map((entry) => [keyOf(entry), entry]));
  return [...byKey].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, entry]) => entry);
}
