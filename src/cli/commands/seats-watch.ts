import type { Command } from 'commander';
import type { CourseSeats } from '../../sources/course-seats/course-seats.ts';
import type { Created } from '../../sources/course-seats/subscriptions/subscriptions.ts';
import { Refusal } from '../../std/refusal.ts';
import { withChange } from '../change.ts';
import { type Context, example, jsonOption } from '../context.ts';
import { printable } from '../printable.ts';
import {
  requireCampus,
  requireIndex,
  requireSeats,
  requireTerm,
  sectionName,
  termName,
} from '../seats-arguments.ts';

interface WatchOptions {
  term?: string;
  index?: string;
  email?: string;
  campus?: string;
  json?: true;
}

export function addSeatsWatch(seats: Command, context: Context): void {
  const { terminal } = context;
  seats
    .command('watch')
    .description('Watch a section: when it opens, the address gets one mail')
    .option('--index <index>', 'which section, by the five digits of its index (required)')
    .option('--email <address>', 'who is told (required)')
    .option('--term <term>', 'of which term, such as 12026; may be left out where only one is polled')
    .option('--campus <campus>', 'of which campus; may be left out where the catalog knows the section')
    .option(...jsonOption)
    .addHelpText('after', example('seats watch --index 04711 --email you@example.org'))
    .action(async (options: WatchOptions) => {
      const indexNumber = requireIndex(options.index);
      const email = requireEmail(options.email);
      await withChange(context, async (engine, { provider }) => {
        const courseSeats = requireSeats(engine);
        const termId = await requireTerm(courseSeats, options.term);
        const section = await courseSeats.catalog.section(termId, indexNumber);
        const campusCode = campusOf(options.campus, section?.campusCode);
        const order = { termId, campusCode, indexNumber, email, caller: null };
        const created = requireCreated(await courseSeats.subscriptions.create(order));
        // The link opens the watch to whoever has it: it is in the mail, and nowhere else.
        const { token: _, ...shown } = created;
        if (options.json) return terminal.json({ ...shown, termId, campusCode, indexNumber });
        terminal.print(
          `${created.kind === 'created' ? 'Watching' : 'Watched already:'} ${sectionName(indexNumber, section)}, ${termName(termId)}. It is believed ${created.sectionStatus}.`,
          ...whatNext(created, email, courseSeats, provider === 'capture'),
        );
      });
    });
}

function requireEmail(email: string | undefined): string {
  if (email !== undefined) return email;
  throw new Refusal('email_required', 'Say who is told with --email you@example.org.');
}

function campusOf(given: string | undefined, known: string | undefined): string {
  const campusCode = given === undefined ? known : requireCampus(given);
  if (campusCode !== undefined) return campusCode;
  throw new Refusal(
    'campus_required',
    'The catalog does not know this index, so say of which campus it is with --campus NB. To read the catalog: npx tidings seats ingest',
  );
}

type Watched = Extract<Created, { subscriptionId: number }>;

function requireCreated(created: Created): Watched {
  if ('subscriptionId' in created) return created;
  const { kind, message, ...details } = created;
  throw new Refusal(kind, message, details);
}

function whatNext(
  { status, subscriptionId }: Watched,
  email: string,
  { verifiesAddresses }: CourseSeats,
  isInbox: boolean,
): string[] {
  const look = isInbox ? ' It is in the built-in inbox when a worker has sent it: npx tidings inbox' : '';
  if (status === 'active') return [`Watch ${subscriptionId} is active: the next opening is told.`];
  if (status === 'paused')
    return [
      `Watch ${subscriptionId} is paused, by its owner or after as many mails as they wished: the link in any of its mails resumes it.`,
    ];
  if (status !== 'pending')
    return [
      `Watch ${subscriptionId} is ${status}: nothing is sent to ${printable(email)}. Why: npx tidings suppressions list --address ${printable(email)}`,
      'Once that line is lifted, the same command asks its owner again.',
    ];
  return verifiesAddresses
    ? [
        `A mail to ${printable(email)} asks whether it is theirs; until its link is followed nothing else is sent.${look}`,
      ]
    : [`Watch ${subscriptionId} waits, and addresses are not verified here: the next opening is told.`];
}
