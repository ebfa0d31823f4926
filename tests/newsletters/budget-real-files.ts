import { existsSync, readFileSync } from 'node:fs';

/** Real answers of the platform, as files. Not everybody has them: where they are missing, made-up ones that read the same stand in. */
export const realFolder = new URL('../../../shared/data/budget/', import.meta.url);
export const isReal = existsSync(realFolder);
export const textOf = (name: string) => readFileSync(new URL(name, realFolder), 'utf8');

/** CUI 4305857, year 2023. */
export const townOf2023 = () => (isReal ? textOf('entities_entity-with-analytics.json') : madeUpTown);

export const madeUpTown = JSON.stringify({
  entity: {
    ...{ cui: '4305857', name: 'MUNICIPIUL CLUJ-NAPOCA', entity_type: 'admin_municipality' },
    ...{ totalIncome: 1972345678.95, totalExpenses: 1520365432.11, budgetBalance: 451980246.84 },
  },
});
