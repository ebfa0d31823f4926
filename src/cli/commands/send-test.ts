import { open } from 'node:fs/promises';
import type { Command } from 'commander';
import type { DeliveryRow } from '../../db/schema.ts';
import { addressKey } from '../../domain/address.ts';
import type { Intent } from '../../domain/delivery.ts';
import type { Engine } from '../../engine.ts';
import { deliveryJson } from '../../outbox/delivery-json.ts';
import { Refusal } from '../../std/refusal.ts';
import { type Context, example, jsonOption, withEngine } from '../context.ts';
import { follow, isFailed } from '../follow.ts';
import { printable } from '../printable.ts';

interface SendTestOptions {
  to?: string;
  template?: string;
  locale?: string;
  sample?: string;
  props?: string;
  wait: boolean;
  json?: true;
}

const waitMs = 10_000;

/**
 * A template as its readers would get it: through the outbox, the provider and the checks that every mail passes. Each call is an
 * occasion of its own, so that the same sample can be sent again after every change.
 */
export function addSendTest(program: Command, context: Context): void {
  program
    .command('send-test')
    .description('Send a sample of a template to one address, by the provider that is configured')
    .option('--to <address>', 'who gets it (required)')
    .option('--template <name>', 'which template (required): newsletter-entity, alert-series, open-seat …')
    .option('--locale <language>', 'in which of its languages: ro, en …')
    .option('--sample <name>', "which of its samples; the template's first if left out")
    .option('--props <file>', 'a JSON file with props of your own, in place of a sample')
    .option('--no-wait', 'do not wait until it is sent')
    .option(...jsonOption)
    .addHelpText(
      'after',
      example(
        'send-test --to you@example.org --template newsletter-entity --locale ro --sample monthly',
        'send-test --to you@example.org --template alert-series --props alert.json',
      ),
    )
    .action((options: SendTestOptions) => sendTest(options, context));
}

async function sendTest(options: SendTestOptions, context: Context): Promise<void> {
  const { terminal } = context;
  const [{ readRecipients }, words, { systemIds }, { readWaits }] = await Promise.all([
    import('../plain-mail.ts'),
    import('../send-words.ts'),
    import('../../std/ids.ts'),
    import('../waits-for.ts'),
  ]);
  const [to] = readRecipients(options.to === undefined ? [] : [options.to]);
  if (to === undefined) throw new Error('nobody to send to');
  const intent: Intent = {
    ...(await readMail(options)),
    ...{ source: 'plain', lane: 'normal', traceId: systemIds.uuid() },
    occasion: `send-test-${systemIds.uuid()}`,
    recipient: addressKey(to),
    toEmail: to,
  };
  await requireSendable(intent, to);
  const say = (...lines: string[]) => {
    if (!options.json) terminal.print(...lines);
  };

  const work = async (engine: Engine) => {
    const answers = await engine.outbox.enqueue([intent]);
    const { now } = engine.clock;
    for (const { seq } of answers) say(words.tellQueued(seq, to));
    const rows = await follow(engine, answers, {
      forMs: options.wait ? waitMs : 0,
      onSettled: (row) => say(...words.tellSettled(row, now(), terminal.paint)),
      onWait: () => terminal.progress('Waiting until it is sent …'),
    });
    const [row] = rows;
    if (options.json) {
      const { templateName: template, locale = null, occasion } = intent;
      terminal.json({ template, locale, occasion, delivery: row && deliveryJson(row) });
    } else if (options.wait) {
      say(...words.tellUnsettled(rows, waitMs, now(), await readWaits(engine, rows)));
    }
    if (row && !isFailed(row)) say(whereToLook(row, engine.provider.name));
    if (rows.some(isFailed)) context.exitCode = 1;
  };
  await withEngine(context, work, { mayMakeDatabase: true });
}

function whereToLook(
  { seq, to_email, provider_message_id: messageId }: DeliveryRow,
  provider: string,
): string {
  if (provider !== 'capture') {
    return `Look into the mailbox of ${printable(to_email ?? '')}, and into its spam. What became of it: npx tidings deliveries show ${seq}`;
  }
  return messageId === null
    ? `MAIL_PROVIDER is capture, so it does not leave this machine. Look for it with: npx tidings inbox`
    : `MAIL_PROVIDER is capture, so it has not left this machine. Read it with: npx tidings inbox show ${printable(messageId)}`;
}

type TestMail = Pick<Intent, 'templateName' | 'variables' | 'locale'>;

async function readMail(options: SendTestOptions): Promise<TestMail> {
  const [{ asPreview, requireSample, requireTemplate }, { localeFor }, { templateNames }] = await Promise.all(
    [import('../../emails/samples.ts'), import('../../emails/words.ts'), import('../../emails/render.ts')],
  );
  if (options.template === undefined) {
    const names = templateNames.join(', ');
    throw new Refusal('template_missing', `Say which template: --template NAME. There are: ${names}.`);
  }
  if (options.props !== undefined && options.sample !== undefined) {
    throw new Refusal(
      'props_or_sample',
      'Give either --sample NAME or --props FILE: a mail is made of one of them.',
    );
  }
  const template = await requireTemplate(options.template);
  const asked = options.locale ?? null;
  // In a language that it is not written in there is no sample either; the check of the whole mail tells so.
  const locale = localeFor(asked, template.locales) ?? 'en';
  const common = { templateName: template.name, ...(asked !== null && { locale: asked }) };
  if (options.props !== undefined) return { ...common, variables: await readProps(options.props) };
  // The way out of a sample leads nowhere; without it the mail gets one that works.
  const { unsubscribeUrl: _, ...sample } = requireSample(template, locale, options.sample);
  return { ...common, variables: asPreview(template, sample) };
}

const propsOctetsMax = 1_048_576; // What a whole mail may have.

async function readProps(path: string): Promise<Record<string, unknown>> {
  const shown = JSON.stringify(path);
  const unreadable = (why: string) => new Refusal('props_unreadable', `--props ${shown} ${why}.`);
  let text: string;
  try {
    const file = await open(path);
    try {
      const stat = await file.stat();
      if (stat.isDirectory()) throw unreadable('is a folder; give a file');
      if (stat.size > propsOctetsMax) throw unreadable('is larger than 1 MiB; shorten it');
      text = await file.readFile('utf8');
    } finally {
      await file.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof Refusal || code === undefined) throw error;
    throw unreadable(code === 'ENOENT' ? 'is not there; check its name' : `cannot be read (${code})`);
  }
  const value = parsed(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw unreadable('holds no JSON object; write the props as { "name": "value" }');
  return value as Record<string, unknown>;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The same checks as on the way out, while somebody can still change the file. */
async function requireSendable(
  { templateName, locale, variables = {} }: TestMail,
  to: Parameters<typeof addressKey>[0],
) {
  const { checkSendable } = await import('../../emails/sendable.ts');
  const sendable = await checkSendable(
    { template: templateName ?? '', locale: locale ?? null, props: variables },
    [to],
  );
  if (!sendable.ok) throw new Refusal(sendable.code, sendable.sentence);
}
