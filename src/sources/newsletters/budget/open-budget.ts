import type { Database } from '../../../db/database.ts';
import type { Clock } from '../../../std/clock.ts';
import type { Log } from '../../../std/log.ts';
import type { BudgetData } from './budget-data.ts';
import { createDatasetFiles } from './datasets.ts';
import { createLocalBudget } from './local-budget.ts';

/** Where budgets are known: the platform's API if one is named, and otherwise what was imported. Static datasets are always files. */
export async function openBudget(parts: {
  /** Empty for the local store. */
  budgetApiUrl: string;
  datasetsFolder: string;
  db: Database;
  clock: Clock;
  log: Log;
}): Promise<BudgetData> {
  const { budgetApiUrl, datasetsFolder, db, clock, log } = parts;
  const { datasets } = createDatasetFiles({ folder: datasetsFolder, log });
  if (budgetApiUrl === '') return createLocalBudget({ db, clock, log, datasets });
  // Its client is a megabyte that no other command has to load.
  const { createGraphqlBudget } = await import('./graphql-budget.ts');
  return createGraphqlBudget({ url: budgetApiUrl, clock, log, datasets });
}
