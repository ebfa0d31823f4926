import type { Database } from '../../../db/database.ts';
import { type Frequency, type Period, parsePeriod } from '../period.ts';
import { knownFigures, type Side } from './known-figures.ts';
import { readAmounts } from './read-amounts.ts';

/** Of which sides something is known of a period, in whichever currency: with one alone nobody is told of it. */
export async function knownSides(db: Database, cui: string, period: Period): Promise<Side[]> {
  const figures = knownFigures(await readAmounts(db, [{ cui, period, chaptersOf: null }]));
  return (['income', 'expenses'] as const).filter((side) =>
    figures.currencies(cui).some((currency) => figures.total({ cui, side, currency }, period) !== undefined),
  );
}

const lengths: Readonly<Record<Frequency, number>> = { yearly: 0, quarterly: 1, monthly: 2 };

/** The periods of which something was imported for an entity, the newest year first, in it the year, its quarters, its months. */
export async function knownPeriods(db: Database, cui: string): Promise<Period[]> {
  const rows = await db.read
    .selectFrom('budget_amounts')
    .select('period_key')
    .distinct()
    .where('cui', '=', cui)
    .execute();
  return rows
    .flatMap(({ period_key }) => parsePeriod(period_key) ?? [])
    .sort(
      (one, other) =>
        other.year - one.year || lengths[one.frequency] - lengths[other.frequency] || other.month - one.month,
    );
}
