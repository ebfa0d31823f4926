import { compare, type Decimal, signOf } from '../../../std/decimal.ts';
import type { PeriodLocale } from '../period.ts';
import type { EntityReport } from './budget-data.ts';

/** What an entity spends its money on, by the chapters of the functional classification: `65`, education. */
export interface Chapter {
  code: string;
  name: string | null;
  amount: Decimal;
}

const topExpensesMax = 5;

/** The largest, largest first; what came back, rather than being spent, is none. */
export function topExpenses(chapters: readonly Chapter[]): EntityReport['topExpenses'] {
  return chapters
    .filter(({ amount }) => signOf(amount) > 0)
    .sort((one, other) => compare(other.amount, one.amount) || (one.code < other.code ? -1 : 1))
    .slice(0, topExpensesMax)
    .map(({ code, name, amount }) => ({ code, amount, name: name ?? chapterName(code, 'ro') ?? code }));
}

/** Undefined for a code that the classification does not have, and for one that is a part of a chapter only. */
export function chapterName(code: string, locale: PeriodLocale): string | undefined {
  return Object.hasOwn(names, code) ? names[code]?.[locale] : undefined;
}

const names: Readonly<Record<string, Readonly<Record<PeriodLocale, string>>>> = {
  '51': { ro: 'Autorități publice și acțiuni externe', en: 'Public authorities and external affairs' },
  '53': { ro: 'Cercetare fundamentală și cercetare-dezvoltare', en: 'Basic research and development' },
  '54': { ro: 'Alte servicii publice generale', en: 'Other general public services' },
  '55': { ro: 'Datorie publică și împrumuturi', en: 'Public debt and loans' },
  '56': { ro: 'Transferuri între niveluri ale administrației', en: 'Transfers between levels of government' },
  '60': { ro: 'Apărare', en: 'Defence' },
  '61': { ro: 'Ordine publică și siguranță națională', en: 'Public order and safety' },
  '65': { ro: 'Învățământ', en: 'Education' },
  '66': { ro: 'Sănătate', en: 'Health' },
  '67': { ro: 'Cultură, recreere și religie', en: 'Culture, recreation and religion' },
  '68': { ro: 'Asigurări și asistență socială', en: 'Social insurance and assistance' },
  '70': { ro: 'Locuințe, servicii și dezvoltare publică', en: 'Housing and public development' },
  '74': { ro: 'Protecția mediului', en: 'Environmental protection' },
  '80': { ro: 'Acțiuni generale economice, comerciale și de muncă', en: 'Economy, trade and labour' },
  '81': { ro: 'Combustibili și energie', en: 'Fuel and energy' },
  '83': {
    ro: 'Agricultură, silvicultură, piscicultură și vânătoare',
    en: 'Agriculture, forestry and fishing',
  },
  '84': { ro: 'Transporturi', en: 'Transport' },
  '85': { ro: 'Comunicații', en: 'Communications' },
  '86': { ro: 'Cercetare și dezvoltare în domeniul economic', en: 'Research in economic affairs' },
  '87': { ro: 'Alte acțiuni economice', en: 'Other economic affairs' },
};
