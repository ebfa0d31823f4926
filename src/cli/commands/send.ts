import { type Command, Option } from 'commander';
import { type Address, addressKey } from '../../domain/address.ts';
import type { Intent } from '../../domain/delivery.ts';
import { type Lane, lanes } from '../../domain/delivery.ts';
import type { Engine } from '../../engine.ts';
import { deliveryJson } from '../../outbox/delivery-json.ts';
import { type Context, example, jsonOption, withEngine } from '../context.ts';
import { follow, isFailed } from '../follow.ts';
import { hasOtherWords } from '../other-words.ts';

interface SendOptions {
  to?: string[];
  subject?: string;
  text?: string;
  textFile?: string;
  occasion?: string;
  lane: Lane;
  wait: boolean;
  json?: true;
}

const waitMs = 10_000;

export function addSend(program: Command, context: Context): void {
  program
    .command('send')
    .description('Send a plain mail: one delivery for each address, each of them once')
    .option('--to <address>', 'who is told (required); may be given several times', collect)
    .option('--subject <text>', 'subject of the mail (required)')
    .option('--text <text>', 'text of the mail')
    .option('--text-file <file>', 'read the text from a file; - reads standard input')
    .option(
      '--occasion <key>',
      'what they are told of; the same occasion is never told twice to the same address',
    )
    .addOption(new Option('--lane <lane>', 'how urgent it is').choices(lanes).default('normal'))
    .option('--no-wait', 'do not wait until it is sent')
    .option(...jsonOption)
    .addHelpText(
      'after',
      example(
        'send --to ana@example.org --subject Hello --text "It works."',
        'send --to ana@example.org --subject Report --text-file report.txt --occasion report-2026-07',
      ),
    )
    .action((options: SendOptions) => send(options, context));
}

function collect(value: string, previous: string[] = []): string[] {
  return [...previous, value];
}

async function send(options: SendOptions, context: Context): Promise<void> {
  const { terminal } = context;
  const [{ readRecipients, readText, requireSendable }, words, { systemIds }, { readWaits }] =
    await Promise.all([
      import('../plain-mail.ts'),
      import('../send-words.ts'),
      import('../../std/ids.ts'),
      import('../waits-for.ts'),
    ]);
  const recipients = readRecipients(options.to ?? []);
  const mail = { subject: options.subject ?? '', text: await readText(options) };
  await requireSendable(mail, recipients);
  const occasion = options.occasion ?? systemIds.uuid();
  const intents = intentsOf(recipients, mail, { occasion, lane: options.lane, traceId: systemIds.uuid() });
  const say = (...lines: string[]) => {
    if (!options.json) terminal.print(...lines);
  };

  const work = async (engine: Engine) => {
    const answers = await engine.outbox.enqueue(intents);
    const { now } = engine.clock;
    const known = await follow(
      engine,
      answers.filter(({ isNew }) => !isNew),
      { forMs: 0 },
    );
    const knownWaits = await readWaits(engine, known);
    for (const row of known) {
      say(...words.tellRepeated(row, now(), terminal.paint, knownWaits.get(row.seq)));
      if (!options.json && (await hasOtherWords(engine.queries, row, mail))) say(words.tellOtherWords(row));
    }

    const fresh = answers.filter(({ isNew }) => isNew);
    for (const { seq } of fresh)
      say(words.tellQueued(seq, recipients[answers.findIndex((one) => one.seq === seq)]));
    const made = await follow(engine, fresh, {
      forMs: options.wait ? waitMs : 0,
      onSettled: (row) => say(...words.tellSettled(row, now(), terminal.paint)),
      onWait: () => terminal.progress('Waiting until it is sent …'),
    });
    if (options.wait && !options.json) {
      say(...words.tellUnsettled(made, waitMs, now(), await readWaits(engine, made)));
    }

    if (options.json) {
      const rows = [
        ...known.map((row) => ({ isNew: false, row })),
        ...made.map((row) => ({ isNew: true, row })),
      ];
      terminal.json({
        occasion,
        deliveries: rows.map(({ isNew, row }) => ({ isNew, ...deliveryJson(row) })),
      });
    }
    if ([...known, ...made].some(isFailed)) context.exitCode = 1;
  };
  // What is asked for before the first start waits for it.
  await withEngine(context, work, { mayMakeDatabase: true });
}

function intentsOf(
  recipients: readonly Address[],
  mail: { subject: string; text: string },
  common: Pick<Intent, 'occasion' | 'lane' | 'traceId'>,
): Intent[] {
  return recipients.map((address) => ({
    ...common,
    source: 'plain',
    templateName: 'plain',
    recipient: addressKey(address),
    toEmail: address,
    variables: { ...mail },
  }));
}
