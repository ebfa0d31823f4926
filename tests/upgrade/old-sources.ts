import { sql } from 'kysely';
import type { Database } from '../../src/db/database.ts';
import type { Address } from '../../src/domain/address.ts';
import { createContactHash } from '../../src/sources/course-seats/subscriptions/contact.ts';
import { insert, insertDelivery, namespace, type OldDelivery } from './old-rows.ts';

/** What each source has written in the version that brought its tables: something told, and something that waits. */

const now = Date.now();
const year = new Date(now).getUTCFullYear();
/** Spring of next year: a term that is not over. */
export const termId = `1${year + 1}`;
export const indexNumber = '09214';
export const lastYear = String(year - 1);
const traceId = '11111111-2222-4333-8444-555555555555';

/** 0001: the outbox alone, in every status that a row can have. */
export const plainDeliveries: readonly OldDelivery[] = [
  { status: 'pending' },
  { status: 'claimed' },
  { status: 'sending', isCaptured: true },
  { status: 'sending' },
  { status: 'sent', isCaptured: true },
  { status: 'delivered', isCaptured: true },
  { status: 'failed_transient' },
  { status: 'reconciling', isCaptured: true },
  { status: 'needs_review', isCaptured: true },
  { status: 'failed_permanent' },
  { status: 'suppressed', isCaptured: true },
  { status: 'skipped_unsubscribed' },
  { status: 'skipped_no_email' },
  { status: 'skipped_ineligible' },
  { status: 'expired' },
].map(({ status, isCaptured = false }) => {
  const name = `${status.replaceAll('_', '-')}${isCaptured ? '-captured' : ''}`;
  return {
    ...{ source: 'plain', occasion: name, recipient: `${name}@example.org` },
    ...{ status: status as OldDelivery['status'], isCaptured },
  };
});
/** To somebody who must not be mailed: the list of the first version has them. */
export const toSuppressed: OldDelivery = {
  ...{ source: 'plain', occasion: 'later', recipient: 'suppressed-captured@example.org', status: 'pending' },
};

export const seatDeliveries: readonly OldDelivery[] = [
  { source: 'course-seats', occasion: '1', recipient: '1', status: 'pending' },
  { source: 'course-seats', occasion: '1', recipient: '2', status: 'delivered', isCaptured: true },
];
const wishOf = { ana: '00000000-0000-4000-8000-00000000000a', bob: '00000000-0000-4000-8000-00000000000b' };
export const newsletterDeliveries: readonly OldDelivery[] = [
  {
    ...{ source: 'newsletters', occasion: lastYear, recipient: `bob:${wishOf.bob}` },
    ...{ status: 'delivered', isCaptured: true },
  },
];
/** On the list of a run, and not yet an intent. */
export const newsletterToCome = { source: 'newsletters', occasion: lastYear, recipient: `ana:${wishOf.ana}` };
export const reviewDeliveries: readonly OldDelivery[] = [
  {
    source: 'code-reviews',
    occasion: 'CL-17:1',
    recipient: 'cho@example.org',
    status: 'sent',
    isCaptured: true,
  },
  { source: 'code-reviews', occasion: 'CL-17:1', recipient: 'dan@example.org', status: 'pending' },
];

/** By the number of the migration after which it was written. */
export const fills: Readonly<Record<number, (db: Database) => Promise<void>>> = {
  1: async (db) => {
    await db.transaction((tx) => sql`UPDATE instance SET namespace = ${namespace}`.execute(tx));
    for (const one of [...plainDeliveries, toSuppressed]) await insertDelivery(db, one, 1);
    const line = {
      address_key: 'suppressed-captured@example.org',
      reason: 'bounced_for_good',
      created_at: 1,
    };
    await insert(db, 'suppressions', line);
  },
  6: async (db) => {
    await db.transaction((tx) => sql`UPDATE instance SET seats_feed = 'real'`.execute(tx));
    const place = { term_id: termId, campus_code: 'NB' };
    const course = {
      course_string: '01:198:111',
      supplement_code: '',
      offering_campus: 'NB',
      subject_code: '198',
    };
    await insert(db, 'courses', { ...place, ...course, title: 'Intro', search_words: 'intro', seen_at: now });
    await insert(db, 'sections', {
      ...{
        course_id: 1,
        ...place,
        index_number: indexNumber,
        section_number: '01',
        meeting_summary: 'Mon 10:20',
      },
      ...{ last_known_section_status: 'Open', content_hash: 'x', seen_at: now },
    });
    const list = {
      version: 1,
      baseline_at: now,
      heard_at: now,
      good_at: now,
      open_count: 1,
      next_poll_at: now,
    };
    await insert(db, 'open_lists', { ...place, ...list });
    await insert(db, 'open_list_indexes', {
      ...place,
      index_number: indexNumber,
      is_open: 1,
      opened_at: now,
    });
    const payload = {
      courseTitle: 'Intro',
      courseString: '01:198:111',
      sectionNumber: '01',
      meetingSummary: 'Mon 10:20',
    };
    await insert(db, 'open_events', {
      ...{
        section_id: 1,
        ...place,
        index_number: indexNumber,
        status_before: 'Closed',
        status_after: 'Open',
      },
      ...{
        seat_delta: 1,
        event_at: new Date(now).toISOString(),
        detected_by: 'open_sections',
        dedupe_key: 'd1',
      },
      ...{ trace_id: traceId, payload: JSON.stringify({ ...payload, snapshotHash: 'x' }) },
    });
    await insert(db, 'open_event_fanouts', { open_event_id: 1, after_subscription_id: 2, finished_at: now });
    for (const [at, name] of ['eve', 'fay'].entries()) {
      const email = `${name}@example.org` as Address;
      await insert(db, 'subscriptions', {
        ...{
          section_id: 1,
          ...place,
          index_number: indexNumber,
          contact_type: 'email',
          contact_value: email,
        },
        ...{
          contact_hash: createContactHash(namespace)(email),
          status: 'active',
          token_id: `token-${at}`.padEnd(22, '0'),
        },
        ...{ last_known_section_status: 'Closed', verified_at: now, created_at: now, updated_at: now },
      });
    }
    const more = { dedupe_key: 'd1', trace_id: traceId, lane: 'urgent' };
    for (const one of seatDeliveries) await insertDelivery(db, { ...one, cells: more }, 6);
  },
  7: async (db) => {
    const type = 'newsletter_entity_yearly';
    await insert(db, 'budget_entities', { cui: '4305857', name: 'Cluj-Napoca', updated_at: now });
    for (const [side, amount] of [
      ['income', '10.50'],
      ['expenses', '9.25'],
    ]) {
      const cells = { cui: '4305857', period_key: lastYear, side, chapter: '', amount, currency: 'RON' };
      await insert(db, 'budget_amounts', cells);
    }
    for (const [user_id, id] of Object.entries(wishOf)) {
      await insert(db, 'users', {
        user_id,
        email: `${user_id}@example.org`,
        is_verified: 1,
        updated_at: now,
      });
      await insert(db, 'notifications', {
        ...{
          id,
          user_id,
          notification_type: type,
          entity_cui: '4305857',
          hash: `hash of ${user_id}`,
          locale: 'en',
        },
        ...{ is_active: 1, created_at: now, updated_at: now },
      });
    }
    const [told] = newsletterDeliveries;
    const seq = told && (await insertDelivery(db, told, 7));
    await insert(db, 'notification_runs', {
      ...{
        run_id: traceId,
        notification_type: type,
        period_key: lastYear,
        status: 'running',
        eligible_count: 2,
      },
      ...{
        dedupe_key: `collect-${type}-${lastYear}`,
        created_by: 'op',
        created_at: now,
        updated_at: now,
        trace_id: traceId,
      },
    });
    const items = { run_id: traceId, period_key: lastYear };
    await insert(
      db,
      'notification_run_items',
      { ...items, notification_id: wishOf.ana, user_id: 'ana', place: 1, state: 'planned' },
      {
        ...items,
        notification_id: wishOf.bob,
        user_id: 'bob',
        place: 2,
        state: 'composed',
        delivery_seq: seq,
      },
    );
  },
  8: async (db) => {
    await insert(db, 'review_changelists', { changelist_id: 'CL-17', created_at: now });
    await insert(db, 'review_jobs', {
      ...{
        job_id: 'job-1',
        idempotency_key: 'ci-4711',
        changelist_id: 'CL-17',
        review_version: 1,
        is_rerun: 0,
      },
      ...{
        title: 'Cache the parsed policy',
        findings: '[]',
        findings_count: 0,
        created_by: 'ci',
        created_at: now,
      },
      trace_id: traceId,
    });
    for (const one of reviewDeliveries) {
      const seq = await insertDelivery(db, one, 8);
      await insert(db, 'review_job_recipients', {
        ...{ job_id: 'job-1', recipient: one.recipient, is_required: 1, delivery_seq: seq },
      });
    }
  },
};
