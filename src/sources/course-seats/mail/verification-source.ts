import { sql } from 'kysely';
import type { Database } from '../../../db/database.ts';
import { rowsOf } from '../../../db/dialect.ts';
import type { SubscriptionRow } from '../../../db/seats-schema.ts';
import { parseAddress } from '../../../domain/address.ts';
import { tagValue } from '../../../domain/message.ts';
import type { Policy } from '../../../domain/policy.ts';
import type { Verdict } from '../../../outbox/begin.ts';
import type { Claimed } from '../../../outbox/claim.ts';
import type { Clock } from '../../../std/clock.ts';
import { lineOf } from '../../../std/one-line.ts';
import type { Draft, Source } from '../../source.ts';
import type { Subscriptions } from '../subscriptions/subscriptions.ts';
import { seatWords } from '../words.ts';
import { timeOf } from './readable.ts';
import { keepSuppressions } from './seat-books.ts';
import { lockWatches } from './seat-gate.ts';
import { seatPolicy } from './seat-source.ts';

/**
 * "Is this your address?": a mail with one link, for each time that somebody asked to watch a section. It goes to whoever was
 * named, who may not have asked: so it says what was asked, does nothing by itself, and is worth nothing after two days. Whoever
 * watches the section already is told so instead, with the link to their watch.
 */
export interface VerificationSourceParts {
  db: Database;
  clock: Clock;
  timeZone: string;
  tokenOf: (tokenId: string) => string;
  links: { confirmUrl(token: string): string; manageUrl(token: string): string };
  defaultLocale?: string;
  subscriptions: Pick<Subscriptions, 'left' | 'returned' | 'recipientsAt'>;
}

export const verificationSourceName = 'course-seats-verification';

/** Of a mail that brings nothing but the link to a watch. */
export const linkVariables = { asks: 'for the link' } as const;
const isForLink = ({ variables }: Pick<Claimed, 'variables'>) => variables.asks === linkVariables.asks;

export const verificationPolicy = {
  ...seatPolicy,
  expiresAfterMs: 48 * 3_600_000, // Who has not confirmed in two days has forgotten it, or never asked.
} satisfies Policy;

export function createVerificationSource(parts: VerificationSourceParts): Source {
  const { db, subscriptions } = parts;
  return {
    name: verificationSourceName,
    policy: verificationPolicy,
    words: seatWords,
    async draft(batch) {
      const rows = await readAsked(db, batch);
      return new Map(
        batch.map((claimed) => [claimed.seq, draftOf(claimed, rows.get(claimed.recipient), parts)]),
      );
    },
    async recheck(batch, tx) {
      const watches = await lockWatches(
        tx,
        db.dialect,
        batch.map(({ recipient }) => recipient),
      );
      return new Map(
        batch.flatMap((claimed): [number, Verdict][] => {
          const verdict = judge(watches.get(claimed.recipient), claimed);
          return verdict ? [[claimed.seq, verdict]] : [];
        }),
      );
    },
    changed: (facts, tx) => keepSuppressions(tx, db.dialect, facts, parts.clock.now()),
    recipientsAt: subscriptions.recipientsAt,
    async left(recipients, tx) {
      for (const recipient of recipients) await subscriptions.left(Number(recipient), tx);
    },
    async returned(recipients, tx) {
      for (const recipient of recipients) await subscriptions.returned(Number(recipient), tx);
    },
  };
}

/** The n-th time that a mail was asked for: `<subscription>-<n>`. */
const requestOf = (occasion: string) => Number(occasion.slice(occasion.lastIndexOf('-') + 1));

function judge(watch: SubscriptionRow | undefined, claimed: Claimed): Verdict | undefined {
  const no = (event: Verdict['event'], code: string, message: string): Verdict => ({
    event,
    error: { code, message },
  });
  if (!watch) return no('ineligible', 'subscription_gone', 'The subscription is gone.');
  if (watch.status === 'unsubscribed')
    return no('unsubscribed', 'unsubscribed', 'They no longer watch this section.');
  // Whether an address is good consent says; one that bounced while it was asked may be asked again.
  const isWaiting = watch.status === 'pending' || watch.status === 'suppressed';
  if (!isForLink(claimed) && (watch.verified_at !== null || !isWaiting))
    return no('ineligible', 'already_verified', 'The address needs no confirmation any more.');
  return watch.verifications > requestOf(claimed.occasion)
    ? no('expired', 'superseded', 'They have asked for another of these mails since.')
    : undefined;
}

type Asked = Pick<
  SubscriptionRow,
  'subscription_id' | 'contact_type' | 'contact_value' | 'locale' | 'token_id' | 'term_id' | 'index_number'
> & { course_title: string | null; course_string: string | null; section_number: string | null };

async function readAsked(db: Database, batch: readonly Claimed[]): Promise<ReadonlyMap<string, Asked>> {
  const numbers = batch.map(({ recipient }) => ({ id: Number(recipient) }));
  const { rows } = await sql<Asked>`
    SELECT watches.subscription_id, watches.contact_type, watches.contact_value, watches.locale, watches.token_id,
      watches.term_id, watches.index_number, coalesce(courses.expanded_title, courses.title) AS course_title,
      courses.course_string, sections.section_number
    FROM ${rowsOf(db.dialect, { id: 'number' }, numbers)}
    JOIN subscriptions AS watches ON watches.subscription_id = input.id
    LEFT JOIN sections ON sections.term_id = watches.term_id AND sections.index_number = watches.index_number
    LEFT JOIN courses ON courses.course_id = sections.course_id
  `.execute(db.read);
  return new Map(rows.map((row) => [String(row.subscription_id), row]));
}

function draftOf(
  claimed: Claimed,
  row: Asked | undefined,
  { timeZone, tokenOf, links, defaultLocale = 'en' }: VerificationSourceParts,
): Draft {
  const no = (code: string, message: string): Draft => ({ kind: 'unsendable', error: { code, message } });
  if (!row) return no('subscription_gone', 'The subscription is no longer in the database.');
  if (row.contact_type !== 'email') return no('not_email', 'This contact is not an e-mail address.');
  if (row.contact_value === null) return { kind: 'no_address' };
  const parsed = parseAddress(row.contact_value);
  if (!parsed.ok) return no('invalid_recipient', parsed.sentence);
  const locale = row.locale ?? defaultLocale;
  const { expiresAt } = claimed;
  const token = tokenOf(row.token_id);
  const section = {
    courseTitle: lineOf(row.course_title, 200) || `Section ${row.index_number}`,
    courseString: lineOf(row.course_string, 40) || 'TBA',
    sectionNumber: lineOf(row.section_number, 20) || 'TBA',
    sectionIndex: lineOf(row.index_number, 20) || 'TBA',
  };
  const tags = { subscription_id: String(row.subscription_id), term: tagValue(row.term_id) };
  const draft = { kind: 'draft', to: parsed.address, locale, tags } as const;
  if (isForLink(claimed))
    return { ...draft, template: 'watch-link', props: { ...section, manageUrl: links.manageUrl(token) } };
  const confirmBefore = expiresAt !== null && { confirmBefore: timeOf(expiresAt, locale, timeZone) };
  const props = { ...section, confirmUrl: links.confirmUrl(token), ...confirmBefore };
  return { ...draft, template: 'verification', props };
}
