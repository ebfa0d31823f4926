import type { Command } from 'commander';
import type { DeliveryRow } from '../../db/schema.ts';
import { type Address, addressKey, parseAddress } from '../../domain/address.ts';
import type { Circumstances } from '../../domain/hindrances.ts';
import type { Engine } from '../../engine.ts';
import type { DeliveryFilter, OutboxQueries } from '../../outbox/queries.ts';
import type { Notification } from '../../sources/newsletters/notifications/notification.ts';
import { recipientsAt } from '../../sources/recipients-at.ts';
import { Refusal } from '../../std/refusal.ts';
import { wholeNumber } from '../arguments.ts';
import { type Context, example, jsonOption, withEngine } from '../context.ts';
import { printable, shellWord } from '../printable.ts';
import type { Terminal } from '../terminal.ts';
import { tellWatch, watchJson } from '../watch-words.ts';
import { noDelivery } from './deliveries-show.ts';
import { whatOf } from './notifications-list.ts';

interface ExplainOptions {
  limit: number;
  below?: number;
  json?: true;
}

const limitByDefault = 5;
/** As many as one person may have at once. */
const watchesMax = 30;

export function addExplain(deliveries: Command, context: Context): void {
  const { terminal } = context;
  deliveries
    .command('explain')
    .argument('<person or delivery>', "an address; or a number, a UUID, a key, or the provider's message id")
    .description('Say why a person did or did not get a mail, with the evidence, and what can be done')
    .option('--limit <count>', 'of an address: how many, at most 50', wholeNumber(50), limitByDefault)
    .option(
      '--below <number>',
      'of an address: only those with a lower number, the next page',
      wholeNumber(Number.MAX_SAFE_INTEGER),
    )
    .option(...jsonOption)
    .addHelpText(
      'after',
      example(
        'deliveries explain ana@example.org',
        'deliveries explain 12',
        'deliveries explain plain:welcome:ana@example.org',
      ),
    )
    .action(async (reference: string, options: ExplainOptions) => {
      await withEngine(context, (engine) => explainReference(engine, reference, options, terminal));
    });
}

async function explainReference(
  engine: Engine,
  reference: string,
  options: ExplainOptions,
  terminal: Terminal,
): Promise<void> {
  const [{ readSurroundings }, words, { tellSuppression }, { tellLeft }] = await Promise.all([
    import('../../dispatch/circumstances.ts'),
    import('../explanation.ts'),
    import('../../domain/hindrances.ts'),
    import('../unsubscribed-words.ts'),
  ]);
  const { db, clock, queries, provider } = engine;
  const surroundings = await readSurroundings(db, clock, provider.account);
  const explainRow = async (row: DeliveryRow, address = row.to_email) => {
    const around = await surroundings.around({ ...row, address });
    const source = engine.sources.find(({ name }) => name === row.source);
    const sourceSays = (await source?.whyWait?.(row.recipient)) ?? null;
    return words.explained(row, await queries.story(row.seq), { ...around, sourceSays });
  };

  // The ids of some providers look like addresses; one that is known is meant.
  const one = await queries.find(reference);
  if (one) {
    const explained = await explainRow(one);
    if (options.json) return terminal.json(words.explanationJson(explained));
    return terminal.print(...words.tellExplanation(explained, terminal));
  }
  const parsed = parseAddress(reference);
  if (!parsed.ok) throw noDelivery(reference);
  const { address } = parsed;
  const alsoTo = await recipientsAt(engine.sources, address);
  const found = await ofPerson(queries, address, {
    alsoTo,
    limit: options.limit + 1,
    ...(options.below !== undefined && { below: options.below }),
  });
  const rows = found.slice(0, options.limit);
  const below = found.length > rows.length ? (rows.at(-1)?.seq ?? null) : null;
  const circumstances = await surroundings.around({ address });
  const all = [];
  for (const row of rows) all.push(await explainRow(row, row.to_email ?? address));
  const left = await leftBy(engine, address, { alsoTo, rows });
  const watches = (await engine.seats?.subscriptions.list({ address }, watchesMax + 1)) ?? [];
  if (options.json) {
    const { suppression, pauses } = circumstances;
    return terminal.json({
      address,
      suppression: suppression && { ...suppression, at: new Date(suppression.at).toISOString() },
      pauses: pauses.map((pause) => ({ ...pause, at: new Date(pause.at).toISOString() })),
      unsubscribed: left.map(({ what, at, ...owner }) => ({ ...owner, at: new Date(at).toISOString() })),
      deliveries: all.map(words.explanationJson),
      watches: watches.slice(0, watchesMax).map(watchJson),
      next: below && { below },
    });
  }
  const listed = circumstances.suppression
    ? [printable(tellSuppression(circumstances.suppression, circumstances.now))]
    : [];
  for (const { what, ...one } of left) {
    const who = one.recipient === addressKey(address) ? address : one.recipient;
    listed.push(printable(tellLeft(one, who, circumstances.now, what)));
  }
  listed.push(...watches.slice(0, watchesMax).map((watch) => tellWatch(watch, circumstances.now)));
  if (watches.length > watchesMax)
    listed.push(`More watches: npx tidings seats watches --email ${shellWord(address)}`);
  if (rows.length === 0) {
    return terminal.print(...nothing(address, options.below !== undefined, circumstances), ...listed);
  }
  if (rows.length > 1) {
    terminal.print(`${headOf(rows.length, printable(address), options.below, below)}, newest first:`);
    for (const explained of all) terminal.print(...words.tellVerdict(explained, terminal));
  }
  terminal.print(...listed);
  // Whoever has somebody on the telephone wants the last mail; five stories at once are a wall.
  for (const newest of all.slice(0, 1)) {
    if (rows.length > 1 || listed.length > 0) terminal.print('');
    terminal.print(...words.tellExplanation(newest, terminal));
  }
  if (rows.length > 1)
    terminal.print('', 'The story of another one: npx tidings deliveries explain <its number>');
  if (below !== null) terminal.print('', `More: ${nextPage(reference, options.limit, below)}`);
}

/**
 * Everything for one person, newest first: by the address that was written to, and by the recipient, which is the same
 * address in lower case where a source has no better name, and stays when retention has blanked the other; or by the better name.
 */
async function ofPerson(
  queries: OutboxQueries,
  address: Address,
  { alsoTo, ...page }: Pick<DeliveryFilter, 'alsoTo' | 'limit' | 'below'>,
): Promise<DeliveryRow[]> {
  const rows = await Promise.all([
    queries.search({ ...page, address, ...(alsoTo && { alsoTo }) }),
    queries.search({ ...page, recipient: address }),
    queries.search({ ...page, recipient: addressKey(address) }),
  ]);
  const distinct = new Map(rows.flat().map((row) => [row.seq, row]));
  return [...distinct.values()].sort((a, b) => b.seq - a.seq).slice(0, page.limit);
}

type Left = Awaited<ReturnType<Engine['consent']['unsubscribe']['leftBy']>>[number] & { what?: string };

/** What they left by a link: sources that know them by their address, and newsletters, each by itself. Watches tell it themselves. */
async function leftBy(
  { db, consent, newsletters }: Engine,
  address: Address,
  { alsoTo, rows }: { alsoTo: NonNullable<DeliveryFilter['alsoTo']>; rows: readonly DeliveryRow[] },
): Promise<Left[]> {
  const { newsletterSource } = await import('../../sources/newsletters/notification-type.ts');
  const { wisherOf } = await import('../../sources/newsletters/recipient.ts');
  const own = [
    ...alsoTo.flatMap(({ source, recipients }) => (source === newsletterSource ? recipients : [])),
    // A directory that cannot be asked by address knows none of the former.
    ...rows.flatMap(({ source, recipient }) => (source === newsletterSource ? [recipient] : [])),
  ];
  const left = await consent.unsubscribe.leftBy(...new Set([addressKey(address), ...own]));
  const named = left.map(async (one): Promise<Left> => {
    if (one.source !== newsletterSource) return one;
    const { userId, notificationId } = wisherOf(one.recipient);
    const wish = await newsletters.notifications.find(userId, notificationId).catch(notFound);
    return wish ? { ...one, what: await wishName(db, wish) } : one;
  });
  return Promise.all(named);
}

/** As people call it. An entity has a name where it was imported. */
async function wishName(db: Engine['db'], wish: Notification): Promise<string> {
  const { frequencies, isNewsletter } = await import('../../sources/newsletters/notification-type.ts');
  const { readEntities } = await import('../../sources/newsletters/budget/local-budget.ts');
  const { type, entityCui } = wish;
  if (!isNewsletter(type) || entityCui === null) return `the alert on ${whatOf(wish)}`;
  const entity = (await readEntities(db, [entityCui])).get(entityCui);
  return `the ${frequencies[type]} newsletter of ${entity ? `${entity.name} (${entityCui})` : entityCui}`;
}

/** It was deleted since. */
function notFound(error: unknown): undefined {
  if (!(error instanceof Refusal)) throw error;
}

function nothing(address: Address, isLaterPage: boolean, { suppression }: Circumstances): string[] {
  if (isLaterPage) return [`No earlier delivery to ${printable(address)}.`];
  return [
    `None that is still known: no delivery to ${printable(address)} is on record. Addresses are forgotten MAIL_RETENTION_DAYS after a delivery has ended, so there may have been one before that.`,
    'The search is by exactly this address: another one of the same person, or one with a slip in it, is not found.',
    'Ask which address they gave, and whether they subscribed at all. What was asked for: npx tidings deliveries list',
    ...(suppression ? [] : ['The address is not on the list of those that must not be mailed.']),
  ];
}

/** Five of forty are not all there are. */
function headOf(count: number, address: string, from: number | undefined, below: number | null): string {
  if (from !== undefined) return `${count} earlier deliveries to ${address}`;
  return below === null
    ? `${count} deliveries to ${address}`
    : `The newest ${count} deliveries to ${address}`;
}

function nextPage(reference: string, limit: number, below: number): string {
  const words = [
    reference,
    ...(limit === limitByDefault ? [] : ['--limit', `${limit}`]),
    '--below',
    `${below}`,
  ];
  return `npx tidings deliveries explain ${words.map(shellWord).join(' ')}`;
}
