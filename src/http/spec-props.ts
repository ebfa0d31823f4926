import { Refusal } from '../std/refusal.ts';

/**
 * Spec 002's own shape of a template's props (002-P3-02 to -04), which has amounts as numbers, for whoever previews by the spec. Our
 * templates take amounts as they are to be read, because what a mail says is decided where the exact figures are; so here they are
 * written in the reader's style. What already has our shape stays as it is.
 */
export interface SpecProps {
  locale: string | null;
  props: Readonly<Record<string, unknown>>;
}

export function readSpecProps(
  template: string,
  locale: string | undefined,
  given: Readonly<Record<string, unknown>>,
): SpecProps {
  const read = readers[template];
  if (!read) return { locale: locale ?? null, props: given };
  const { lang, templateType, isPreview, ...rest } = given;
  if (templateType !== undefined && templateType !== template.replaceAll('-', '_'))
    throw invalid('templateType', `must be ${template.replaceAll('-', '_')}, as the template is`);
  if (lang !== undefined && typeof lang !== 'string') throw invalid('lang', 'must be a text');
  const reader = locale ?? lang;
  const isMarked = typeof isPreview === 'boolean' ? isPreview && 'true' : isPreview;
  const props = read(rest, reader ?? 'en');
  return { locale: reader ?? null, props: isMarked ? { ...props, isPreview: isMarked } : props };
}

type Given = Readonly<Record<string, unknown>>;

const readers: Readonly<Record<string, (given: Given, locale: string) => Given>> = {
  'newsletter-entity': newsletterOf,
  'alert-series': alertOf,
};

function newsletterOf(given: Given, locale: string): Given {
  const { summary, ...rest } = given;
  if (summary === undefined) return given;
  const { currency = 'RON', ...totals } = objectOf('summary', summary);
  const [income, expenses, balance] = ['totalIncome', 'totalExpenses', 'budgetBalance'].map((name) =>
    decimalOf(`summary.${name}`, totals[name]),
  ) as [string, string, string];
  const most = Math.max(Math.abs(Number(income)), Math.abs(Number(expenses)));
  const shareOf = (amount: string) =>
    String(most === 0 ? 0 : Math.round((100 * Math.abs(Number(amount))) / most));
  return {
    totalIncome: amountIn(locale, income, currency),
    totalExpenses: amountIn(locale, expenses, currency),
    budgetBalance: amountIn(locale, balance, currency),
    balanceSign: Number(balance) > 0 ? 'surplus' : Number(balance) < 0 ? 'deficit' : 'even',
    incomeShare: shareOf(income),
    expensesShare: shareOf(expenses),
    ...rest,
  };
}

/** The spec's alert tells only of conditions that hold, and neither period nor value: they have stand-ins. */
function alertOf(given: Given, locale: string): Given {
  const { triggeredConditions, ...rest } = given;
  if (triggeredConditions === undefined) return given;
  if (!Array.isArray(triggeredConditions)) throw invalid('triggeredConditions', 'must be a list');
  const conditions = triggeredConditions.map((one, place) => {
    const at = `triggeredConditions[${place}]`;
    const { operator, threshold, actualValue, unit = '' } = objectOf(at, one);
    return {
      operator,
      threshold: amountIn(locale, decimalOf(`${at}.threshold`, threshold), unit),
      actualValue: amountIn(locale, decimalOf(`${at}.actualValue`, actualValue), unit),
      isMet: 'true',
    };
  });
  return { periodLabel: '…', actualValue: conditions[0]?.actualValue ?? '…', conditions, ...rest };
}

function objectOf(name: string, value: unknown): Given {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(name, 'must be an object');
  return value as Given;
}

const decimalShape = /^-?\d{1,30}(?:\.\d{1,10})?$/;

function decimalOf(name: string, value: unknown): string {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text === 'string' && decimalShape.test(text)) return text;
  throw invalid(name, 'must be a number, or a text such as "1234.56"');
}

const style = { notation: 'compact', maximumFractionDigits: 2 } as const;

/** `1,97 mld. RON`, `1.97B RON`: rounded once, as the text of a decimal is never made a float. */
function amountIn(locale: string, decimal: string, unit: unknown): string {
  if (typeof unit !== 'string') throw invalid('currency or unit', 'must be a text');
  const isRomanian = /^ro\b/i.test(locale);
  const written = new Intl.NumberFormat(isRomanian ? 'ro' : 'en', style).format(decimal as `${number}`);
  const number = written.replace('-', '−').replaceAll('\u00a0', ' ');
  // The tables of languages have no Romanian word for a thousand that is as short as the others.
  return `${isRomanian ? number.replace('K', 'mii') : number} ${unit}`.trim();
}

const invalid = (name: string, must: string) =>
  new Refusal('invalid_variable', `The variable ${name} ${must}.`);
