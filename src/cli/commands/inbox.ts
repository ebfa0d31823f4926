import type { Command } from 'commander';
import { providers } from '../../domain/providers.ts';
import type { CapturedMail } from '../../inbox/inbox.ts';
import { iso } from '../../outbox/delivery-json.ts';
import { ago } from '../../std/duration.ts';
import { momentName } from '../../std/moment.ts';
import { Refusal } from '../../std/refusal.ts';
import { belowOption, limitOption } from '../arguments.ts';
import { type Context, example, jsonOption, withEngine } from '../context.ts';
import { printable, printableLines, shellWord } from '../printable.ts';
import { type Column, printTable } from '../table.ts';
import type { Paint } from '../terminal.ts';
import { addInboxChaos } from './inbox-chaos.ts';

/** Enough to tell mails apart on a screen; `show` takes any beginning of an id that is not ambiguous. */
const idShownLength = 8;
const idLengthMin = 4;
const limitByDefault = 20;

interface ListOptions {
  to?: string;
  limit: number;
  below?: number;
  json?: true;
}

export function addInbox(program: Command, context: Context): void {
  const inbox = program
    .command('inbox')
    .helpCommand(false)
    .description('Read the built-in inbox: what was sent while no real provider is configured')
    .addHelpText('after', example('inbox', 'inbox --to ana@example.org', 'inbox show 1f6a9c3e'));
  addInboxList(inbox, context);
  addInboxShow(inbox, context);
  addInboxChaos(inbox, context);
}

function addInboxList(inbox: Command, context: Context): void {
  const { terminal } = context;
  inbox
    .command('list', { isDefault: true })
    .usage('[options]')
    .argument('[message]', '')
    .description('List its mails, newest first (also without the word list)')
    .option('--to <address>', 'only those to this address; its beginning will do')
    .option(...limitOption(500, limitByDefault))
    .option(...belowOption)
    .option(...jsonOption)
    .addHelpText('after', example('inbox --limit 5', 'inbox --to ana@example.org'))
    .action(async (message: string | undefined, { to, limit, below, json }: ListOptions) => {
      if (message !== undefined) throw notHere(message);
      const { readInbox } = await import('../../inbox/inbox.ts');
      await withEngine(context, async ({ db, clock }, { provider }) => {
        const { mails, next } = await readInbox(db, { to: to?.trim(), limit, below });
        if (json) return terminal.json({ mails: mails.map(mailJson), next: next && { below: next } });
        const more = `More: npx tidings inbox${sameAgain({ to, limit })} --below ${next}`;
        // Of very many mails so many are looked at for one page, and none of them may be meant.
        if (mails.length === 0 && next !== null) return terminal.print('None so far.', more);
        if (mails.length === 0 && below !== undefined) return terminal.print('No earlier mails.');
        if (mails.length === 0 && to !== undefined && provider === 'capture') {
          return terminal.print(
            `No mail to ${printable(to)} is in the inbox. All of them: npx tidings inbox`,
            `Why not: npx tidings deliveries explain ${shellWord(to)}`,
          );
        }
        if (mails.length === 0 && provider !== 'capture') {
          return terminal.print(
            `The inbox is empty: MAIL_PROVIDER is ${provider}, ${providers[provider].means}. What became of them: npx tidings deliveries list`,
          );
        }
        if (mails.length === 0) {
          return terminal.print(
            'The inbox is empty. Mails appear here when a worker sends them and MAIL_PROVIDER is capture.',
            'Start one with npm start, then: npx tidings send --to you@example.org --subject Hello --text "It works."',
          );
        }
        printTable(terminal, mails, columnsOf(clock.now()));
        terminal.print(`Read one: npx tidings inbox show ${mails[0]?.messageId.slice(0, idShownLength)}`);
        if (next !== null) terminal.print(more);
      });
    });
}

function sameAgain({ to, limit }: { to: string | undefined; limit: number }): string {
  const limited = limit === limitByDefault ? '' : ` --limit ${limit}`;
  return `${to === undefined ? '' : ` --to ${shellWord(to)}`}${limited}`;
}

/** The list takes no name; who gives one wants to read that mail. */
function notHere(message: string): Refusal {
  const isName = /^[0-9a-f-]+$/i.test(message);
  return new Refusal(
    'unknown_command',
    isName
      ? `To read one mail: npx tidings inbox show ${shellWord(message)}`
      : `The inbox has no command ${JSON.stringify(message)}. To read one mail: npx tidings inbox show <message>`,
  );
}

function columnsOf(now: number): Column<CapturedMail>[] {
  return [
    { title: 'TO', cell: ({ mail }) => printable(mail.to), canShrink: true },
    { title: 'SUBJECT', cell: ({ mail }) => printable(mail.subject), canShrink: true },
    { title: 'AGE', cell: ({ receivedAt }) => ago(now - receivedAt) },
    { title: 'MESSAGE', cell: ({ messageId }) => messageId.slice(0, idShownLength) },
  ];
}

function addInboxShow(inbox: Command, context: Context): void {
  const { terminal } = context;
  inbox
    .command('show')
    .argument('<message>', 'its message id, or the beginning of it')
    .description('Show one mail')
    .option('--headers', 'also its headers, below the text')
    .option(...jsonOption)
    .addHelpText('after', example('inbox show 1f6a9c3e', 'inbox show 1f6a9c3e --headers'))
    .action(async (reference: string, { headers, json }: { headers?: true; json?: true }) => {
      const { findCaptured } = await import('../../inbox/inbox.ts');
      await withEngine(context, async ({ db }) => {
        const captured = only(
          isBeginning(reference) ? await findCaptured(db, reference.toLowerCase(), 2) : [],
          reference,
        );
        if (json) return terminal.json(mailJson(captured));
        terminal.print(...mailLines(captured, terminal.paint), ...(headers ? headerLines(captured) : []));
      });
    });
}

/** What a person looks at first stands first, and the text's last lines, which hold the way out, are the last. */
function mailLines({ messageId, receivedAt, mail }: CapturedMail, { bold, dim }: Paint): string[] {
  return [
    `${dim('from')}     ${printable(mail.from)}`,
    `${dim('to')}       ${printable(mail.to)}`,
    `${dim('subject')}  ${bold(printable(mail.subject))}`,
    `${dim('date')}     ${momentName(receivedAt)}`,
    `${dim('message')}  ${messageId}`,
    '',
    ...printableLines(mail.text),
  ];
}

function headerLines({ mail }: CapturedMail): string[] {
  return ['', ...Object.entries(mail.headers).map(([name, value]) => printable(`${name}: ${value}`))];
}

const isBeginning = (text: string) => text.length >= idLengthMin && /^[0-9a-f-]{1,36}$/i.test(text);

function only(found: readonly CapturedMail[], reference: string): CapturedMail {
  const [mail] = found;
  if (mail && found.length === 1) return mail;
  if (mail) {
    throw new Refusal(
      'message_ambiguous',
      `More than one message begins with ${reference}. Give more of its id.`,
    );
  }
  throw new Refusal(
    'message_not_found',
    `There is no message ${JSON.stringify(reference)} in the inbox. Give at least ${idLengthMin} characters of its id; see them with: npx tidings inbox`,
  );
}

function mailJson({ number, messageId, receivedAt, mail }: CapturedMail) {
  return { number, messageId, receivedAt: iso(receivedAt), ...mail };
}
