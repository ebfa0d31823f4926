import type { Command } from 'commander';
import type { Added } from '../../consent/suppressions.ts';
import { type Address, addressKey, parseAddress, requireAddress } from '../../domain/address.ts';
import { everySource, liftCommand } from '../../domain/suppression.ts';
import type { Engine } from '../../engine.ts';
import { nearest } from '../../std/nearest.ts';
import { Refusal } from '../../std/refusal.ts';
import { withChange } from '../change.ts';
import { type Context, example, jsonOption } from '../context.ts';
import { operatorName } from '../operator.ts';
import { scopeName } from '../pause-words.ts';
import { printable, shellWord } from '../printable.ts';
import { tellLeft } from '../unsubscribed-words.ts';

interface ChangeOptions {
  scope?: string;
  because?: string;
  theirOwn?: true;
  unsubscribedFrom?: string;
  json?: true;
}

export function addAdd(suppressions: Command, context: Context): void {
  const { terminal } = context;
  suppressions
    .command('add')
    .argument('<addresses...>', 'whom not to mail')
    .description('Mail these addresses no more; what waits for them is stopped')
    .option('--scope <source>', 'only from this source; without it, from everything')
    .option('--reason, --because <text>', 'why (required); it is kept with the line')
    .option(...jsonOption)
    .addHelpText(
      'after',
      example(
        'suppressions add ana@example.org --because "she asked on the phone"',
        'suppressions add ana@example.org bob@example.org --scope plain --because "left the course"',
      ),
    )
    .action(async (texts: string[], options: ChangeOptions) => {
      const addresses = requireAddresses(texts);
      const note = requireBecause(options.because);
      await withChange(context, async (engine) => {
        const scope = options.scope === undefined ? everySource : requireScope(engine, options.scope);
        const entries = addresses.map((address) => ({ address, scope, reason: 'operator', note }) as const);
        const added = await engine.consent.suppressions.add(entries, operatorName());
        if (options.json) return terminal.json({ scope, ...added });
        terminal.print(...tellAdded(added, scope));
      });
    });
}

/** All that is wrong is said at once, by place: what is complained of ends up in logs, and addresses stay out of those. */
function requireAddresses(texts: readonly string[]): Address[] {
  const parsed = texts.map((text) => parseAddress(text));
  const problems = parsed.flatMap((each, index) =>
    each.ok ? [] : [{ index, problem: each.sentence, code: each.code }],
  );
  if (problems.length > 0) {
    const lines = problems.map(({ index, problem }) =>
      texts.length === 1 ? problem : `Address ${index + 1} of ${texts.length}: ${problem}`,
    );
    throw new Refusal('invalid_address', [...lines, 'Nothing was added.'].join('\n'), { problems });
  }
  return parsed.flatMap((each) => (each.ok ? [each.address] : []));
}

const becauseLengthMax = 500;

function requireBecause(because = ''): string {
  const text = because.trim();
  if (text !== '' && text.length <= becauseLengthMax) return text;
  throw new Refusal(
    'reason_required',
    text === ''
      ? 'Say why with --because: it is kept with the line.'
      : `Say why in at most ${becauseLengthMax} characters: it is kept with the line.`,
  );
}

function requireScope({ sources }: Engine, text: string): string {
  const names = [everySource, ...sources.map(({ name }) => name)];
  if (names.includes(text)) return text;
  const meant = nearest(text, names);
  throw new Refusal(
    'unknown_source',
    `There is no source ${JSON.stringify(text)}.${meant ? ` Did you mean ${meant}?` : ''} The scope is one of ${names.join(', ')}; without --scope it is everything.`,
  );
}

function tellAdded({ added, stopped, alreadyListed }: Added, scope: string): string[] {
  const from = scope === everySource ? 'nothing is mailed to' : `${scopeName(scope)} mails no more to`;
  return [
    ...(added === 0 ? [] : [`Added: ${from} ${addresses(added)} from now on.`]),
    ...alreadyListed.map(
      (address) => `${printable(address)} was on the list already; its line is as it was.`,
    ),
    ...(added === 0 ? [] : [tellStopped(stopped)]),
  ];
}

function tellStopped(count: number): string {
  if (count === 0) return 'Nothing waited for them.';
  return `${count} ${count === 1 ? 'delivery that waited is' : 'deliveries that waited are'} stopped.`;
}

const addresses = (count: number) => `${count} ${count === 1 ? 'address' : 'addresses'}`;

export function addRemove(suppressions: Command, context: Context): void {
  const { terminal } = context;
  suppressions
    .command('remove')
    .argument('<addresses...>', 'who may be mailed again')
    .description('Take addresses off the list; that they were on it is kept')
    .option('--scope <source>', 'the line of this source; without it, the one of everything')
    .option(
      '--unsubscribed-from <source>',
      'not the list: they left this source by the link in a mail, and ask to be back',
    )
    .option('--their-own', 'the line that the recipient made by stopping all mails; only if they ask for it')
    .option('--reason, --because <text>', 'why (required); it is kept with the line')
    .option(...jsonOption)
    .addHelpText(
      'after',
      example(
        'suppressions remove ana@example.org --because "the mailbox is back"',
        'suppressions remove ana@example.org bob@example.org --because "the trial is over"',
        'suppressions remove ana@example.org --unsubscribed-from plain --because "she asked on the phone"',
      ),
    )
    .action(async (texts: string[], { scope = everySource, json, theirOwn, ...options }: ChangeOptions) => {
      const order = {
        by: operatorName(),
        because: requireBecause(options.because),
        isTheirOwn: theirOwn === true,
      };
      const { unsubscribedFrom: source } = options;
      const work =
        source === undefined
          ? texts.map((text) => takingOff(requireAddress(text), scope, order))
          : texts.map((text) => reopening(text, source, order));
      await withChange(context, async (engine) => {
        const all: Removal[] = [];
        for (const remove of work) all.push(await remove(engine));
        if (all.some(({ isRemoved }) => !isRemoved)) context.exitCode = 1;
        const answers = all.map(({ answer, isRemoved }) => ({ ...answer, isRemoved }));
        if (json) return terminal.json(answers.length === 1 ? answers[0] : answers);
        terminal.print(...all.flatMap(({ lines }) => lines));
      });
    });
}

interface Removal {
  isRemoved: boolean;
  /** For programs. */
  answer: Readonly<Record<string, unknown>>;
  /** For people. */
  lines: readonly string[];
}
type Removing = (engine: Engine) => Promise<Removal>;
type RemoveOrder = { by: string; because: string; isTheirOwn: boolean };

function takingOff(address: Address, scope: string, order: RemoveOrder): Removing {
  return async ({ consent: { suppressions, unsubscribe }, queries, clock }) => {
    const isRemoved = await suppressions.lift(address, scope, order);
    const still = await suppressions.list({ address, limit: scopesShownMax });
    const answer = { address: addressKey(address), scope, stillListed: still.map((row) => row.scope) };
    const left = await unsubscribe.leftBy(addressKey(address));
    const besides = [
      ...still.map(tellStill(address)),
      ...left.map((one) => tellLeft(one, address, clock.now())),
    ];
    if (!isRemoved) return { isRemoved, answer, lines: [notListed(address, scope), ...besides] };
    const stopped = await queries.search({
      address,
      status: ['suppressed', 'skipped_unsubscribed'],
      limit: 50,
    });
    // What had arrived before it was complained of is not to be sent again.
    const unsent = stopped.filter(({ sent_at }) => sent_at === null);
    const statuses = [...new Set(unsent.map(({ status }) => status))];
    const putBack = statuses.length === 0 ? [] : tellPutBack(address, statuses);
    return { isRemoved, answer, lines: [offTheList(address, scope, still), ...putBack, ...besides] };
  };
}

/** A recipient is known to a source by an address in lower case, or by whatever else it calls people. */
function reopening(text: string, source: string, order: RemoveOrder): Removing {
  const parsed = parseAddress(text);
  const recipient = parsed.ok ? addressKey(parsed.address) : text;
  return async ({ consent: { unsubscribe } }) => {
    const isRemoved = await unsubscribe.reopen({ source, recipient }, order);
    const who = printable(recipient);
    const sentence = isRemoved
      ? `${who} gets mails of ${scopeName(source)} again, from what is asked for now on. What was stopped stays stopped.`
      : `${who} has not left ${scopeName(source)}: there is nothing to take back.`;
    return { isRemoved, answer: { recipient, source }, lines: [sentence] };
  };
}

const scopesShownMax = 50;

const notListed = (address: Address, scope: string) =>
  `${printable(addressKey(address))} is not on the list for ${scopeName(scope)}: there is nothing to remove.`;

type Line = { scope: string; reason: string };

function offTheList(address: Address, scope: string, still: readonly Line[]): string {
  const key = printable(addressKey(address));
  if (still.some((line) => line.scope === scope || line.scope === everySource)) {
    return `That line of ${key} is lifted, but another one holds.`;
  }
  const who = scope === everySource ? 'every source' : scopeName(scope);
  return `${key} is off the list: what is asked for from now on may be mailed by ${who}.`;
}

const tellStill =
  (address: Address) =>
  ({ scope, reason }: Line) => {
    const why =
      reason === 'unsubscribed'
        ? ': they stopped all mails themselves. Only if they ask for it'
        : '. Take it off';
    return `It is on the list for ${scopeName(scope)}${why}: ${liftCommand({ scope, reason }, shellWord(address))}`;
  };

const tellPutBack = (address: Address, statuses: readonly string[]) => [
  `What was stopped stays stopped. See it: npx tidings deliveries list --to ${shellWord(address)} ${statuses.map((status) => `--status ${status}`).join(' ')}`,
  'Put it back: npx tidings deliveries requeue <number> --reason "…"',
];
