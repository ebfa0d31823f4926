import type { Unsubscribe } from '../../../consent/unsubscribe.ts';
import type { Database } from '../../../db/database.ts';
import { parseAddress } from '../../../domain/address.ts';
import { tagValue } from '../../../domain/message.ts';
import type { Policy } from '../../../domain/policy.ts';
import type { Claimed } from '../../../outbox/claim.ts';
import type { Clock } from '../../../std/clock.ts';
import type { Log } from '../../../std/log.ts';
import { lineOf } from '../../../std/one-line.ts';
import type { Draft, Source } from '../../source.ts';
import { readPayload } from '../event-payload.ts';
import type { RegistrationUrl } from '../registration.ts';
import type { Subscriptions } from '../subscriptions/subscriptions.ts';
import { seatWords } from '../words.ts';
import { buildMailJob, type JobRow, type MailJob } from './mail-job.ts';
import { meetingsOf, timeOf } from './readable.ts';
import { keepSeatBooks } from './seat-books.ts';
import { createSeatGate, readWhyWait } from './seat-gate.ts';
import { readJobRows, readStatuses, sectionKey } from './seat-rows.ts';
import { validateMailJob } from './validate-mail-job.ts';

/**
 * Seat mails: one open event told to one subscription. Each is a mail job of spec 000, built from the event's own words and
 * checked against the contract before it is drafted; looked at again in the moment in which it leaves (seat-gate.ts); and entered
 * in the subscription's books once it was accepted (seat-books.ts). It never sends, and never touches a status.
 */
export interface SeatSourceParts {
  db: Database;
  clock: Clock;
  log: Log;
  /** The campus's, for quiet hours and for the times that mails name. */
  timeZone: string;
  /** 8.5: an address that nobody has confirmed gets no seat mail. */
  verifiesAddresses: boolean;
  /** What a link carries for the number that a subscription is known by. */
  tokenOf: (tokenId: string) => string;
  links: {
    manageUrl(token: string): string;
    /** Consent's own: the same that the mail's header names. */
    unsubscribeUrls: Unsubscribe['linksFor'];
  };
  registrationUrl: RegistrationUrl;
  /** 000-74: for who has chosen none. */
  defaultLocale?: string;
  subscriptions: Pick<Subscriptions, 'left' | 'returned' | 'recipientsAt'>;
}

export const seatSourceName = 'course-seats';

/** Spec 000's deliveryPolicy (000-39 to 000-41). */
export const seatPolicy: Policy = {
  attemptsMax: 3,
  scheduleMs: { kind: 'list', delaysMs: [0, 2_000, 7_000] },
  leaseMs: 120_000,
  roundsMax: 2, // After a soft bounce once more, and only while the seat is still there: the gate asks.
  bounceDelayMs: 3_600_000, // Greylisting is over by then, and a seat of the morning may be left.
};

export function createSeatSource(parts: SeatSourceParts): Source {
  const { db, subscriptions } = parts;
  return {
    name: seatSourceName,
    policy: seatPolicy,
    words: seatWords,
    draft: (batch) => draftSeatMails(batch, parts),
    recheck: createSeatGate(parts),
    changed: (facts, tx) => keepSeatBooks(tx, db.dialect, facts, parts.clock.now()),
    whyWait: (recipient) => readWhyWait(parts, recipient),
    recipientsAt: subscriptions.recipientsAt,
    async left(recipients, tx) {
      for (const recipient of recipients) await subscriptions.left(Number(recipient), tx);
    },
    async returned(recipients, tx) {
      for (const recipient of recipients) await subscriptions.returned(Number(recipient), tx);
    },
  };
}

async function draftSeatMails(
  batch: readonly Claimed[],
  parts: SeatSourceParts,
): Promise<ReadonlyMap<number, Draft>> {
  const rows = await readJobRows(
    parts.db,
    batch.map(({ seq }) => seq),
  );
  const twins = await readStatuses(parts.db, [...rows.values()].flatMap(twinsOf));
  const isOpen = (section: Parameters<typeof sectionKey>[0]) => twins.get(sectionKey(section)) === 'Open';
  const unsubscribeUrls = await parts.links.unsubscribeUrls(batch);
  const drafts = new Map<number, Draft>();
  for (const { seq } of batch) {
    const row = rows.get(seq);
    drafts.set(seq, row ? await draftOf(row, unsubscribeUrls.get(seq), isOpen, parts) : gone);
  }
  return drafts;
}

const gone: Draft = {
  kind: 'unsendable',
  error: { code: 'event_gone', message: 'The open event or the subscription is no longer in the database.' },
};

async function draftOf(
  row: JobRow,
  unsubscribeUrl: string | undefined,
  isOpen: (section: { termId: string; indexNumber: string }) => boolean,
  { tokenOf, links, registrationUrl, timeZone, defaultLocale = 'en' }: SeatSourceParts,
): Promise<Draft> {
  // 000-44: other channels are none of ours.
  if (row.contact_type !== 'email') return unsendable('not_email', 'This contact is not an e-mail address.');
  if (row.contact_value === null) return { kind: 'no_address' };
  const parsed = parseAddress(row.contact_value);
  if (!parsed.ok) return unsendable('invalid_recipient', parsed.sentence);
  const locale = row.locale ?? defaultLocale;
  const job = buildMailJob(row, {
    email: parsed.address,
    locale,
    policy: seatPolicy,
    links: {
      manageUrl: links.manageUrl(tokenOf(row.token_id)),
      ...(unsubscribeUrl !== undefined && { unsubscribeUrl }),
    },
    variables: {
      seenAt: timeOf(Date.parse(row.event_at), locale, timeZone),
      registrationUrl: registrationUrl({ termId: row.term_id, indexNumber: row.index_number }),
      twinsOpen: twinNames(row, isOpen, true),
      twinsClosed: twinNames(row, isOpen, false),
    },
  });
  const problem = await validateMailJob(job);
  if (problem !== undefined) return unsendable('invalid_mail_job', problem);
  const { id: template, version, variables } = job.template;
  const meetingSummary = meetingsOf(variables.meetingSummary, locale);
  const props = { ...variables, meetingSummary };
  return { kind: 'draft', to: parsed.address, template, version, locale, props, tags: tagsOf(job) };
}

function unsendable(code: string, message: string): Draft {
  return { kind: 'unsendable', error: { code, message } };
}

/** 000-77 to 000-79: for whoever looks for a mail at the provider. The provider's own key is another (8.1). */
function tagsOf({ subscriptionId, openEventId, event, dedupeKey, traceId = '' }: MailJob) {
  const tags = {
    subscription_id: String(subscriptionId),
    open_event_id: String(openEventId),
    term: event.termId,
    campus: event.campusCode,
    dedupe_key: dedupeKey,
    trace_id: traceId,
  };
  return Object.fromEntries(Object.entries(tags).map(([name, value]) => [name, tagValue(value)]));
}

/** The same seats under other courses, as they were listed when the section opened. */
function twinsOf({ payload, term_id: termId }: Pick<JobRow, 'payload' | 'term_id'>) {
  return readPayload(payload).twins.map((twin) => ({ ...twin, termId, indexNumber: twin.index }));
}

function twinNames(
  row: JobRow,
  isOpen: (section: { termId: string; indexNumber: string }) => boolean,
  open: boolean,
): string {
  const named = twinsOf(row)
    .filter((twin) => isOpen(twin) === open)
    .map(({ courseString, sectionNumber, index }) =>
      [courseString, sectionNumber, `(${index})`].filter((part) => part !== '').join(' '),
    );
  return lineOf(named.join(', '), 300);
}
