import { sql } from 'kysely';
import type { Database } from '../../../db/database.ts';
import { rowsOf } from '../../../db/dialect.ts';
import type { NotificationRow } from '../../../db/newsletters-schema.ts';
import type { DeliveryError } from '../../../domain/transition.ts';
import { thrownText } from '../../../std/without-addresses.ts';
import { type BudgetData, type EntityReport, reportKey } from '../budget/budget-data.ts';
import { BudgetUnavailable } from '../budget/budget-unavailable.ts';
import { isNewsletter, isNotificationType } from '../notification-type.ts';
import { type AlertConfig, storedAlertConfig } from '../notifications/alert-config.ts';
import { type Period, type PeriodLocale, parsePeriod } from '../period.ts';
import { wisherOf } from '../recipient.ts';
import { alertProps } from './alert-props.ts';
import { judgeAlert } from './alert-verdict.ts';
import { newsletterProps } from './newsletter-props.ts';

/**
 * What is told: from a wish and a period to a template and its props, for a batch. The figures are asked for once for all who follow
 * the same entity. Whose figures cannot be had now waits, and nobody else does; what there is nothing to tell of is said with
 * the reason.
 */
export type Content =
  | {
      kind: 'content';
      template: 'newsletter-entity' | 'alert-series';
      locale: PeriodLocale;
      props: Readonly<Record<string, unknown>>;
    }
  | { kind: 'ineligible'; error: DeliveryError }
  /** Hopeless where it was said that they will never come, unless somebody changes something. */
  | { kind: 'later'; error: DeliveryError; waitMs?: number; isHopeless?: boolean };

export interface ContentParts {
  db: Database;
  budget: BudgetData;
  defaultLocale: PeriodLocale;
  links: {
    /** With `{cui}` in it; empty for none. */
    entityUrl: string;
    preferencesUrl: string;
    platformBaseUrl: () => string;
  };
}

export interface ContentWanted {
  seq: number;
  occasion: string;
  recipient: string;
  locale: string | null;
}

export async function contentOf(
  wanted: readonly ContentWanted[],
  parts: ContentParts,
): Promise<ReadonlyMap<number, Content>> {
  const wishes = await readWishes(parts.db, wanted);
  const answers = new Map<number, Content>();
  const newsletters: Asked[] = [];
  const alerts: Asked[] = [];
  for (const one of wanted) {
    const wish = wishes.get(wisherOf(one.recipient).notificationId);
    const period = parsePeriod(one.occasion);
    if (!wish || !period || !isNotificationType(wish.notification_type)) {
      answers.set(one.seq, ineligible('gone', 'What was asked for is no longer in the database.'));
      continue;
    }
    const asked = { ...one, wish, period, language: languageOf(one, wish, parts) };
    if (isNewsletter(wish.notification_type)) newsletters.push(asked);
    else alerts.push(asked);
  }
  for (const [seq, content] of await newsletterContents(newsletters, parts)) answers.set(seq, content);
  for (const [seq, content] of await alertContents(alerts, parts)) answers.set(seq, content);
  return answers;
}

interface Asked extends ContentWanted {
  wish: NotificationRow;
  period: Period;
  language: PeriodLocale;
}

async function readWishes(
  db: Database,
  wanted: readonly ContentWanted[],
): Promise<ReadonlyMap<string, NotificationRow>> {
  const ids = [...new Set(wanted.map(({ recipient }) => wisherOf(recipient).notificationId))];
  const input = rowsOf(
    db.dialect,
    { id: 'text' },
    ids.map((id) => ({ id })),
  );
  const { rows } = await sql<NotificationRow>`
    SELECT notifications.* FROM ${input} JOIN notifications ON notifications.id = input.id
  `.execute(db.read);
  return new Map(rows.map((row) => [row.id, row]));
}

function languageOf({ locale }: ContentWanted, wish: NotificationRow, { defaultLocale }: ContentParts) {
  const chosen = wish.locale ?? locale;
  return chosen === 'en' || chosen === 'ro' ? chosen : defaultLocale;
}

const ineligible = (code: string, message: string): Content => ({
  kind: 'ineligible',
  error: { code, message },
});

async function newsletterContents(
  asked: readonly Asked[],
  { budget, links }: ContentParts,
): Promise<[number, Content][]> {
  const wanted = asked.map(({ wish, period }) => ({ cui: wish.entity_cui ?? '', period }));
  const keyOf = (one: Asked) => reportKey({ cui: one.wish.entity_cui ?? '', period: one.period });
  const distinct = [...new Map(wanted.map((one) => [reportKey(one), one])).values()];
  const found = await askSafely(distinct, reportKey, async (some) => budget.reports(some));
  return asked.map((one): [number, Content] => {
    const answer = found.get(keyOf(one));
    if (answer && 'failure' in answer) return [one.seq, answer.failure];
    const report: EntityReport | undefined = answer?.value;
    if (!report) {
      const sentence = `Nothing is known of the budget of ${one.wish.entity_cui} in ${one.period.key}.`;
      return [one.seq, ineligible('no_data', sentence)];
    }
    const { period, language: locale } = one;
    const props = newsletterProps({ report, period, locale, links: linksOf(links) });
    return [one.seq, { kind: 'content', template: 'newsletter-entity', locale: one.language, props }];
  });
}

/** The way out of the mail is added by whoever renders it. */
const linksOf = ({ platformBaseUrl, ...links }: ContentParts['links']) => ({
  ...links,
  ...{ platformBaseUrl: platformBaseUrl(), unsubscribeUrl: '', seriesUrl: '' },
});

async function alertContents(asked: readonly Asked[], parts: ContentParts): Promise<[number, Content][]> {
  const { budget, links } = parts;
  const read = asked.map((one) => ({ ...one, config: storedAlertConfig(one.wish.config) }));
  const problemOf = ({ filter }: AlertConfig) => filter && budget.filterProblem?.(filter);
  const configs = read.filter(({ config }) => problemOf(config) === undefined);
  const unknown = read.flatMap(({ seq, config }): [number, Content][] => {
    const problem = problemOf(config);
    const sentence = `Its filter is none that the budgets can be asked with: ${problem}`;
    return problem === undefined ? [] : [[seq, ineligible('unknown_filter', sentence)]];
  });
  const keyOf = ({ wish, period }: Asked) => `${wish.config} ${period.key}`;
  const distinct = [...new Map(configs.map((one) => [keyOf(one), one])).values()];
  const found = await askSafely(distinct, keyOf, async (some) => {
    const ofSeries = some.filter(({ config }) => config.filter !== undefined);
    const values = await budget.seriesValues(
      ofSeries.map(({ config, period }) => ({ filter: config.filter ?? {}, period })),
    );
    const ids = some.flatMap(({ config }) => config.datasetId ?? []);
    const datasets = await budget.datasets([...new Set(ids)]);
    return new Map(
      some.map((one) => {
        if (one.config.datasetId === undefined)
          return [keyOf(one), { value: values[ofSeries.indexOf(one)] ?? null, titles: {} }];
        const dataset = datasets.get(one.config.datasetId);
        const value = dataset?.values.get(one.period.key);
        const known = dataset && value !== undefined ? { value, unit: dataset.unit } : null;
        return [keyOf(one), { value: known, titles: dataset?.titles ?? {} }];
      }),
    );
  });
  const judged = configs.map((one): [number, Content] => {
    const answer = found.get(keyOf(one));
    if (answer && 'failure' in answer) return [one.seq, answer.failure];
    const { value, titles } = answer?.value ?? { value: null, titles: {} };
    const verdict = judgeAlert(one.config.conditions, value);
    if (verdict.kind === 'ineligible') return [one.seq, ineligible(verdict.code, verdict.sentence)];
    const { period, language: locale } = one;
    const props = alertProps({
      ...verdict,
      ...namesOf(one.config, titles),
      period,
      locale,
      links: linksOf(links),
    });
    return [one.seq, { kind: 'content', template: 'alert-series', locale: one.language, props }];
  });
  return [...unknown, ...judged];
}

/** As its owner calls it, or the dataset does. */
function namesOf({ title, description = '' }: AlertConfig, titles: Readonly<Record<string, string>>) {
  return { description, titles: title === undefined ? titles : { ro: title, en: title } };
}

type Later = Extract<Content, { kind: 'later' }>;
type Answers<T> = Map<string, { value: T } | { failure: Later }>;

/** So many failures of single questions in a row are the data's and not the questions': the others are not asked now. */
const failuresMax = 3;

/** What fails for many is asked for one by one: the one that fails waits, and the others do not. */
async function askSafely<Question, T>(
  questions: readonly Question[],
  keyOf: (question: Question) => string,
  ask: (questions: readonly Question[]) => Promise<ReadonlyMap<string, T>>,
): Promise<Answers<T>> {
  const answers: Answers<T> = new Map();
  if (questions.length === 0) return answers;
  try {
    for (const [key, value] of await ask(questions)) answers.set(key, { value });
    return answers;
  } catch (error) {
    if (questions.length === 1)
      return answers.set(keyOf(questions[0] as Question), { failure: failureOf(error) });
  }
  let failed: { failure: Later }[] = [];
  for (const question of questions) {
    const last = failed.length >= failuresMax ? failed.at(-1) : undefined;
    // Of what was not asked, nobody has said that it will never be answered.
    const unasked = last && { failure: { ...last.failure, isHopeless: false } };
    const [answer] = unasked ? [unasked] : (await askSafely([question], keyOf, ask)).values();
    if (answer) answers.set(keyOf(question), answer);
    failed = answer && 'failure' in answer ? [...failed, answer] : [];
  }
  return answers;
}

function failureOf(error: unknown): Later {
  const { retryAfterMs: waitMs } = error as { retryAfterMs?: number };
  const told = { code: 'data_not_available', message: thrownText(error) };
  const isHopeless = error instanceof BudgetUnavailable && error.when === 'never';
  return { kind: 'later', error: told, isHopeless, ...(waitMs !== undefined && { waitMs }) };
}
