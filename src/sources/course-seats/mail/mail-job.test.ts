import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { buildMailJob, type JobRow } from './mail-job.ts';
import { seatPolicy } from './seat-source.ts';
import { validateMailJob } from './validate-mail-job.ts';

const row = {
  ...{ notification_id: 5, dedupe_key: 'd', open_event_id: 3, section_id: 8, term_id: '12026' },
  ...{ campus_code: 'NB', index_number: '09214', status_before: 'Closed', status_after: 'Open' },
  ...{ event_at: '2026-01-15T15:42:00.000Z', detected_by: 'open_sections', trace_id: 'trace' },
  payload: JSON.stringify({
    ...{ courseTitle: 'INTRO\nCOMPUTER SCI', courseString: '01:198:111', subjectCode: '198' },
    ...{ sectionNumber: '05', meetingSummary: 'M 10:20-11:40 BUS HIL 114', snapshotHash: 'hash' },
  }),
  ...{ subscription_id: 2, contact_type: 'email', contact_value: 'ana@example.org', contact_hash: 'h' },
  ...{ locale: 'en', status: 'active', last_known_section_status: 'Closed', notify_on: '["open"]' },
  ...{ max_notifications: 3, window_start_minutes: 420, window_end_minutes: 60, snooze_until: 0 },
  ...{ token_id: 't', course_title: null, course_string: null, section_number: null },
  ...{ meeting_summary: null, special_permission: null, restrictions: null, cross_listed: null },
  section_notes: null,
} as JobRow;

const jobOf = (change: Partial<JobRow> = {}) =>
  buildMailJob(
    { ...row, ...change },
    {
      ...{ email: 'ana@example.org', locale: 'en', policy: seatPolicy },
      links: { manageUrl: 'https://a.example/m', unsubscribeUrl: 'https://a.example/u' },
      variables: { seenAt: 'today', registrationUrl: undefined },
    },
  );

type Defaults = Record<'maxAttempts' | 'lockTtlSeconds' | 'retryScheduleMs', { default: unknown }>;

describe('buildMailJob', () => {
  it('000-18 000-42 000-43 has everything that the contract names', async () => {
    const job = jobOf();
    expect(await validateMailJob(job)).toBeUndefined();
    expect(job).toEqual({
      ...{ version: '1.0', notificationId: 5, openEventId: 3, subscriptionId: 2 },
      ...{ dedupeKey: 'd', traceId: 'trace', locale: 'en', recipient: { email: 'ana@example.org' } },
      template: {
        ...{ id: 'open-seat', version: 'v1' },
        variables: {
          ...{ courseTitle: 'INTRO COMPUTER SCI', courseString: '01:198:111', sectionIndex: '09214' },
          ...{ sectionNumber: '05', meetingSummary: 'M 10:20-11:40 BUS HIL 114', campus: 'NB' },
          ...{ eventDetectedAt: '2026-01-15T15:42:00.000Z', seenAt: 'today' },
          ...{ manageUrl: 'https://a.example/m', unsubscribeUrl: 'https://a.example/u' },
        },
      },
      event: {
        ...{ sectionId: 8, termId: '12026', campusCode: 'NB', indexNumber: '09214' },
        ...{ sectionNumber: '05', subjectCode: '198', courseTitle: 'INTRO\nCOMPUTER SCI' },
        ...{ statusBefore: 'Closed', statusAfter: 'Open', eventAt: '2026-01-15T15:42:00.000Z' },
        ...{ detectedBy: 'open_sections', snapshotHash: 'hash' },
      },
      subscription: {
        ...{ status: 'active', contactType: 'email', contactValue: 'ana@example.org', contactHash: 'h' },
        lastKnownSectionStatus: 'Closed',
        preferences: {
          ...{ notifyOn: ['open'], maxNotifications: 3, snoozeUntil: '1970-01-01T00:00:00.000Z' },
          deliveryWindow: { startMinutes: 420, endMinutes: 60 },
        },
      },
      links: { manageUrl: 'https://a.example/m', unsubscribeUrl: 'https://a.example/u' },
      deliveryPolicy: { maxAttempts: 3, lockTtlSeconds: 120, retryScheduleMs: [0, 2000, 7000] },
    });
  });

  it('8.13 has no nulls for what is not known, and stand-ins for what must be', async () => {
    const job = jobOf({
      ...{ payload: '{', section_id: null, last_known_section_status: null, max_notifications: null },
      ...{ window_start_minutes: null, window_end_minutes: null, snooze_until: null },
    });
    expect(await validateMailJob(job)).toBeUndefined();
    expect(JSON.stringify(job)).not.toContain('null');
    expect(job.template.variables).toMatchObject({
      ...{ courseTitle: 'Section 09214', courseString: 'TBA', sectionNumber: 'TBA', meetingSummary: 'TBA' },
    });
    expect(job.subscription).toMatchObject({ preferences: { notifyOn: ['open'] } });
  });

  it('gives the policy that it is tried by, with the defaults of the contract', () => {
    const text = readFileSync(new URL('./mail-job.schema.json', import.meta.url), 'utf8');
    const schema = JSON.parse(text) as { properties: { deliveryPolicy: { properties: Defaults } } };
    const { maxAttempts, lockTtlSeconds, retryScheduleMs } = schema.properties.deliveryPolicy.properties;
    expect(jobOf().deliveryPolicy).toEqual({
      ...{ maxAttempts: maxAttempts.default, lockTtlSeconds: lockTtlSeconds.default },
      retryScheduleMs: retryScheduleMs.default,
    });
  });
});

describe('validateMailJob', () => {
  const changed = (path: string, value: unknown) => {
    const job = structuredClone(jobOf()) as unknown as Record<string, unknown>;
    const names = path.split('.');
    const last = names.pop() ?? '';
    const at = names.reduce((inner, name) => inner[name] as Record<string, unknown>, job);
    if (value === undefined) delete at[last];
    else at[last] = value;
    return job;
  };

  test.each([
    ['000-19', 'more', 1],
    ['000-20', 'version', '1.1'],
    ['000-21', 'notificationId', 0],
    ['000-22', 'locale', null],
    ['000-23', 'recipient.email', 'nobody'],
    ['000-25', 'template.id', 'plain'],
    ['000-27', 'template.variables.meetingSummary', undefined],
    ['000-28', 'template.variables.manageUrl', 'not a link'],
    ['000-28', 'template.variables.eventDetectedAt', 'yesterday'],
    ['000-30', 'event.statusAfter', undefined],
    ['000-31', 'event.eventAt', '2026-13-01T00:00:00Z'],
    ['000-33', 'subscription.status', 'gone'],
    ['000-34', 'subscription.contactType', 'sms'],
    ['000-36', 'subscription.preferences.maxNotifications', 1.5],
    ['000-37', 'links.home', 'https://a.example/'],
    ['000-40', 'deliveryPolicy.lockTtlSeconds', 29],
    ['000-41', 'deliveryPolicy.retryScheduleMs', [-1]],
  ])('%s refuses %s = %j, and quotes no value', async (_, path, value) => {
    const problem = await validateMailJob(changed(path, value));
    expect(problem).toMatch(/^The mail job\S* .+\.$/);
    expect(problem).not.toContain('example');
  });

  test.each([
    ['000-29', 'template.variables.room', 'a'],
    ['000-31', 'event.seatDelta', 1],
    ['000-32', 'subscription', undefined],
    ['000-38', 'deliveryPolicy', undefined],
    ['000-26', 'template.version', undefined],
  ])('%s lets pass %s = %j', async (_, path, value) => {
    expect(await validateMailJob(changed(path, value))).toBeUndefined();
  });
});
