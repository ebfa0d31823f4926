import type { OpenEventRow, SubscriptionRow } from '../../../db/seats-schema.ts';
import type { Policy } from '../../../domain/policy.ts';
import { lineOf } from '../../../std/one-line.ts';
import { readPayload } from '../event-payload.ts';

/**
 * Spec 000's mail job, version 1.0: all that one seat mail is made of. `mail-job.schema.json` is the contract, and holds more
 * than these types can say; every job is checked against it before a mail is made. A minor version only adds optional fields
 * (000-82): whoever changes one here changes the schema, and the other way round.
 */
export interface MailJob {
  version: '1.0';
  notificationId: number;
  openEventId: number;
  subscriptionId: number;
  dedupeKey: string;
  traceId?: string;
  locale: string;
  recipient: { email: string; name?: string };
  template: { id: 'open-seat'; version: string; variables: JobVariables };
  event: Readonly<Record<string, unknown>> & { termId: string; campusCode: string; indexNumber: string };
  subscription: Readonly<Record<string, unknown>>;
  links: { manageUrl: string; unsubscribeUrl?: string };
  deliveryPolicy: { maxAttempts: number; lockTtlSeconds: number; retryScheduleMs: readonly number[] };
}

/** 000-29: those that every version has, and whatever a template of ours can say besides. */
type JobVariables = SectionVariables & Readonly<Record<'manageUrl', string>>;
type SectionVariables = Readonly<Record<SectionVariable, string>> & Readonly<Record<string, string>>;
type SectionVariable = 'courseTitle' | 'courseString' | 'sectionIndex' | 'sectionNumber' | 'meetingSummary';

/** One row of the join `open_event_notifications` → `open_events` → `subscriptions`, with the catalog where it knows the section. */
export type JobRow = Pick<
  OpenEventRow,
  | 'open_event_id'
  | 'section_id'
  | 'term_id'
  | 'campus_code'
  | 'index_number'
  | 'status_before'
  | 'status_after'
  | 'event_at'
  | 'detected_by'
  | 'trace_id'
  | 'payload'
> &
  Omit<SubscriptionRow, 'section_id' | 'term_id' | 'campus_code' | 'index_number'> & {
    notification_id: number;
    dedupe_key: string | null;
    course_title: string | null;
    course_string: string | null;
    section_number: string | null;
    meeting_summary: string | null;
    special_permission: string | null;
    restrictions: string | null;
    cross_listed: string | null;
    section_notes: string | null;
  };

export interface JobParts {
  /** In its canonical form. */
  email: string;
  locale: string;
  policy: Policy;
  links: MailJob['links'];
  /** Besides those that come from the section. */
  variables: Readonly<Record<string, string | undefined>>;
}

export function buildMailJob(row: JobRow, { email, locale, policy, links, variables }: JobParts): MailJob {
  const { texts } = readPayload(row.payload);
  return {
    version: '1.0', // 000-84: the lowest that every worker understands, as there is no other yet.
    notificationId: row.notification_id,
    openEventId: row.open_event_id,
    subscriptionId: row.subscription_id,
    dedupeKey: row.dedupe_key ?? '',
    traceId: row.trace_id,
    locale,
    recipient: { email },
    template: {
      id: 'open-seat',
      version: 'v1',
      variables: {
        ...sectionOf(row),
        ...given(variables),
        ...given({ campus: lineOf(row.campus_code, 60), eventDetectedAt: row.event_at }),
        ...given({ ...links }),
        manageUrl: links.manageUrl,
      },
    },
    // 000-42, 000-43: from the event and what was put down with it, never from a later look at the catalog.
    event: {
      ...given({ sectionId: row.section_id }),
      ...{ termId: row.term_id, campusCode: row.campus_code, indexNumber: row.index_number },
      ...{ statusBefore: row.status_before, statusAfter: row.status_after },
      ...{ eventAt: row.event_at, detectedBy: row.detected_by },
      ...given({ sectionNumber: texts.sectionNumber, subjectCode: texts.subjectCode }),
      ...given({ courseTitle: texts.courseTitle, snapshotHash: texts.snapshotHash }),
    },
    subscription: {
      ...{ status: row.status, contactType: row.contact_type, contactHash: row.contact_hash },
      ...given({
        contactValue: row.contact_value,
        lastKnownSectionStatus: row.last_known_section_status,
      }),
      preferences: preferencesOf(row),
    },
    links,
    deliveryPolicy: {
      maxAttempts: policy.attemptsMax,
      lockTtlSeconds: policy.leaseMs / 1000,
      retryScheduleMs: policy.scheduleMs.kind === 'list' ? policy.scheduleMs.delaysMs : [],
    },
  };
}

/** In the template's bounds, with stand-ins for what nobody knows (8.13): a mail without a title is better than none. */
function sectionOf(row: JobRow): SectionVariables {
  const { texts, isResolved } = readPayload(row.payload);
  // The event's own words. Only an index that no catalog knew then is looked for in today's.
  const said = (name: string, now: string | null) =>
    isResolved ? (texts[name] ?? now) : (now ?? texts[name]);
  const line = (name: string, now: string | null, charactersMax: number) =>
    lineOf(said(name, now), charactersMax);
  return {
    courseTitle: line('courseTitle', row.course_title, 200) || `Section ${row.index_number}`,
    courseString: line('courseString', row.course_string, 40) || 'TBA',
    sectionIndex: lineOf(row.index_number, 20) || 'TBA',
    sectionNumber: line('sectionNumber', row.section_number, 20) || 'TBA',
    meetingSummary: line('meetingSummary', row.meeting_summary, 700) || 'TBA',
    ...given({
      specialPermission: line('specialPermission', row.special_permission, 200),
      restrictions: line('restrictions', row.restrictions, 600),
      notes: line('notes', row.section_notes, 600),
    }),
  };
}

function preferencesOf(row: JobRow) {
  const { window_start_minutes: startMinutes, window_end_minutes: endMinutes, snooze_until } = row;
  return {
    notifyOn: notifyOnOf(row),
    ...given({
      maxNotifications: row.max_notifications,
      deliveryWindow: startMinutes === null ? null : { startMinutes, endMinutes },
      snoozeUntil: snooze_until === null ? null : new Date(snooze_until).toISOString(),
    }),
  };
}

export function notifyOnOf({ notify_on }: Pick<SubscriptionRow, 'notify_on'>): string[] {
  const list: unknown = JSON.parse(notify_on);
  return Array.isArray(list) ? list.filter((word) => typeof word === 'string') : [];
}

/** Only what there is: the contract knows optional fields, and no nulls. */
function given<Value>(fields: Readonly<Record<string, Value>>): Record<string, NonNullable<Value>> {
  const present = Object.entries(fields).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  );
  return Object.fromEntries(present) as Record<string, NonNullable<Value>>;
}
