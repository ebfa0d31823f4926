import { sql } from 'kysely';
import type { Engine } from '../engine.ts';
import type { Config } from '../settings.ts';
import { checkDatasetFiles } from '../sources/newsletters/budget/datasets.ts';
import { type RunCheckup, runFindings } from './check-runs.ts';
import { counted } from './counted.ts';
import { type Finding, note, ok, problem } from './finding.ts';
import { printable } from './printable.ts';
import { withoutCredentials } from './redact.ts';

export interface NewslettersCheckup {
  /** Active newsletters and alerts, by type. */
  followed: Record<string, number>;
  /** Of the table of our own; null where Clerk is asked. */
  users: { count: number; withoutAddress: number; followersWithoutAddress: number } | null;
  /** Null where an API is asked. */
  budgets: { entities: number; amounts: number; isMore: boolean } | null;
  datasets: { known: string[]; unreadable: string[]; missing: string[] };
  runs: RunCheckup[];
}

type Parts = Pick<Engine, 'db' | 'newsletters'>;
type Settings = Pick<Config, 'budgetApiUrl' | 'budgetDatasets' | 'clerkApiUrl'>;

/** Whether there is what newsletters need: who follows, their addresses, the figures; and how runs stand. */
export async function checkNewsletters(
  { db, newsletters }: Parts,
  config: Settings,
): Promise<{ newsletters: NewslettersCheckup; findings: Finding[] }> {
  const followed = await readFollowed(db);
  const users = newsletters.users.probe ? null : await readUsers(db);
  const budgets = newsletters.budget.probe ? null : await readBudgets(db);
  const { datasets, findings: ofDatasets } = await checkDatasets(db, config.budgetDatasets);
  const { runs, findings: ofRuns } = await runFindings({ db, newsletters });
  const count = Object.values(followed).reduce((sum, one) => sum + one, 0);
  const types = Object.entries(followed).map(([type, one]) => `${one} ${type}`);
  return {
    newsletters: { followed, users, budgets, datasets, runs },
    findings: [
      ...(count > 0 ? [ok(`Followed: ${types.join(', ')}.`)] : []),
      ...(await checkOthers({ newsletters }, config)),
      ...(users ? userFindings(users) : []),
      ...(budgets ? budgetFindings(budgets, count) : []),
      ...ofDatasets,
      ...ofRuns,
    ],
  };
}

/** Clerk and the API of budgets are really asked; where neither is configured there is nothing to ask. */
export async function checkOthers(
  { newsletters: { budget, users } }: Pick<Engine, 'newsletters'>,
  { budgetApiUrl, clerkApiUrl }: Omit<Settings, 'budgetDatasets'>,
): Promise<Finding[]> {
  const asked = async (who: string, probe: (() => Promise<string | undefined>) | undefined, cure: string) => {
    if (!probe) return [];
    const why = await probe();
    return why === undefined
      ? [ok(`${who} was asked just now, and answers.`)]
      : [problem(`${who} was asked just now, and does not answer: ${printable(why)}.`, cure)];
  };
  const findings = await Promise.all([
    asked(
      `The budget API at ${withoutCredentials(budgetApiUrl)}`,
      budget.probe,
      'Correct BUDGET_API_URL, or wait for it: what needs its figures is tried again.',
    ),
    asked(
      `Clerk at ${withoutCredentials(clerkApiUrl)}`,
      users.probe,
      'Correct CLERK_SECRET_KEY or CLERK_API_URL, or wait for it: mails that need an address wait.',
    ),
  ]);
  return findings.flat();
}

async function readFollowed(db: Engine['db']): Promise<Record<string, number>> {
  const rows = await db.read
    .selectFrom('notifications')
    .select(['notification_type', (eb) => eb.fn.countAll().as('count')])
    .where('is_active', '=', 1)
    .groupBy('notification_type')
    .orderBy('notification_type')
    .execute();
  return Object.fromEntries(rows.map(({ notification_type, count }) => [notification_type, Number(count)]));
}

async function readUsers(db: Engine['db']): Promise<NonNullable<NewslettersCheckup['users']>> {
  const noAddress = sql`(users.email IS NULL OR users.is_verified = 0)`;
  const { rows } = await sql<Record<'count' | 'without_address' | 'followers', number | string | null>>`
    SELECT
      (SELECT COUNT(*) FROM users) AS count,
      (SELECT COUNT(*) FROM users WHERE ${noAddress}) AS without_address,
      (SELECT COUNT(DISTINCT notifications.user_id) FROM notifications
        LEFT JOIN users ON users.user_id = notifications.user_id
        WHERE notifications.is_active = 1 AND (users.user_id IS NULL OR ${noAddress})) AS followers
  `.execute(db.read);
  const number = (name: 'count' | 'without_address' | 'followers') => Number(rows[0]?.[name] ?? 0);
  return {
    ...{ count: number('count'), withoutAddress: number('without_address') },
    followersWithoutAddress: number('followers'),
  };
}

function userFindings({
  count,
  followersWithoutAddress,
}: NonNullable<NewslettersCheckup['users']>): Finding[] {
  const none = followersWithoutAddress;
  return [
    ...(count > 0 ? [ok(`Users: ${counted(count, 'user', 'users')} in the database.`)] : []),
    ...(none > 0
      ? [
          note(
            `${counted(none, 'user follows', 'users follow')} something and ${none === 1 ? 'has' : 'have'} no verified address here: they are not told.`,
            'Say who has which address: npx tidings users import <file>; or set CLERK_SECRET_KEY.',
          ),
        ]
      : []),
  ];
}

/** Of millions nobody needs the last digit. */
const amountsCountedMax = 100_000;

async function readBudgets(db: Engine['db']): Promise<NonNullable<NewslettersCheckup['budgets']>> {
  const { rows } = await sql<Record<'entities' | 'amounts', number | string>>`
    SELECT (SELECT COUNT(*) FROM budget_entities) AS entities,
      (SELECT COUNT(*) FROM (SELECT 1 FROM budget_amounts LIMIT ${amountsCountedMax + 1}) AS first_ones) AS amounts
  `.execute(db.read);
  const [entities, amounts] = [Number(rows[0]?.entities ?? 0), Number(rows[0]?.amounts ?? 0)];
  return { entities, amounts: Math.min(amounts, amountsCountedMax), isMore: amounts > amountsCountedMax };
}

function budgetFindings(
  { entities, amounts, isMore }: NonNullable<NewslettersCheckup['budgets']>,
  followed: number,
): Finding[] {
  if (amounts > 0) {
    const more = isMore ? ' or more' : '';
    const named = counted(entities, 'entity', 'entities');
    return [ok(`Budgets: ${named} and ${counted(amounts, 'amount', 'amounts')}${more} were imported.`)];
  }
  if (followed === 0) return [];
  const cure = 'npx tidings budget import <file> puts them in; or set BUDGET_API_URL.';
  return [note('No budget was imported: there is nothing to tell.', cure)];
}

const datasetsAskedMax = 100;

async function checkDatasets(
  db: Engine['db'],
  folder: string,
): Promise<{ datasets: NewslettersCheckup['datasets']; findings: Finding[] }> {
  const wanted = await db.read
    .selectFrom('notifications')
    .select('dataset_id')
    .distinct()
    .where('is_active', '=', 1)
    .where('dataset_id', 'is not', null)
    .limit(datasetsAskedMax)
    .execute();
  const { known, unreadable, isMore } = (await checkDatasetFiles(folder)) ?? noFolder;
  const named = new Set([...known, ...unreadable.map(({ file }) => file.replace(/\.\w+$/, ''))]);
  const ids = wanted.flatMap(({ dataset_id }) => dataset_id ?? []);
  const missing = isMore ? [] : ids.filter((id) => !named.has(id));
  const shown = printable(folder);
  return {
    datasets: { known, unreadable: unreadable.map(({ file }) => file), missing },
    findings: [
      ...(known.length > 0 ? [ok(`Datasets: ${known.length}${isMore ? ' or more' : ''} in ${shown}.`)] : []),
      ...unreadable.map(({ file, problem: why }) =>
        problem(`The dataset ${printable(file)} cannot be read: ${printable(why)}`, `Mend it in ${shown}.`),
      ),
      ...(missing.length > 0
        ? [
            problem(
              `Alerts watch datasets that are not there: ${printable(missing.slice(0, 10).join(', '))}.`,
              `Put a file for each into ${shown}, or set BUDGET_DATASETS to where they are.`,
            ),
          ]
        : []),
    ],
  };
}

const noFolder = { known: [], unreadable: [], isMore: false };
