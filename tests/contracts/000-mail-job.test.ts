import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { validateMailJob } from '../../src/sources/course-seats/mail/validate-mail-job.ts';

/** Spec 000, "Message payload shape": what the contract takes and what it refuses, clause by clause. */
type Json = Record<string, unknown>;

/** Everything that is required, and nothing else. */
const least = {
  ...{ version: '1.0', notificationId: 1, openEventId: 1, subscriptionId: 1, dedupeKey: 'd', locale: 'en' },
  recipient: { email: 'ana@example.org' },
  template: {
    id: 'open-seat',
    variables: {
      ...{ courseTitle: 'INTRO', courseString: '01:198:111', sectionIndex: '09214', sectionNumber: '05' },
      ...{ meetingSummary: 'M 10:20-11:40', manageUrl: 'https://seats.example.org/m' },
    },
  },
  event: {
    ...{ termId: '12026', campusCode: 'NB', indexNumber: '09214', statusAfter: 'Open' },
    eventAt: '2026-01-15T15:42:00.000Z',
  },
  links: {},
};

/** The job with one value at `path`, or without one. */
function withValue(path: string, value: unknown): Json {
  const job = structuredClone(least) as Json;
  const names = path.split('.');
  const last = names.pop() ?? '';
  let at = job;
  for (const name of names) {
    at[name] ??= {};
    at = at[name] as Json;
  }
  if (value === undefined) delete at[last];
  else at[last] = value;
  return job;
}

const isTaken = async (job: unknown) => (await validateMailJob(job)) === undefined;
async function takes(path: string, ...values: unknown[]): Promise<void> {
  for (const value of values) expect([value, await isTaken(withValue(path, value))]).toEqual([value, true]);
}
async function refuses(path: string, ...values: unknown[]): Promise<void> {
  for (const value of values) expect([value, await isTaken(withValue(path, value))]).toEqual([value, false]);
}
/** Each of these may be there, and is a text where it is. */
async function areTexts(under: string, ...names: string[]): Promise<void> {
  for (const name of names) {
    await takes(`${under}${name}`, 'a text', '');
    await refuses(`${under}${name}`, 7, null, ['a text']);
  }
}
async function areRequired(under: string, ...names: string[]): Promise<void> {
  for (const name of names) await refuses(`${under}${name}`, undefined);
}
const isoTime = '2026-01-15T15:42:00Z';

/** The contract as others fetch it: the defaults are for them, who build jobs or read them. */
const schema = JSON.parse(
  readFileSync(new URL('../../src/sources/course-seats/mail/mail-job.schema.json', import.meta.url), 'utf8'),
);
const inSchema = (path: string) =>
  path.split('.').reduce((at: Json, name) => (at.properties as Json)[name] as Json, schema as Json);

describe('000 message payload', () => {
  it('000-17 The contract has its name and its draft, and a job is an object', async () => {
    expect(schema).toMatchObject({
      $id: 'https://better-course-schedule/notify/mail_job.schema.json',
      $schema: 'https://json-schema.org/draft/2020-12/schema',
    });
    expect(await isTaken(least)).toBe(true);
    for (const job of [[least], 'a job', null]) expect(await isTaken(job)).toBe(false);
  });

  it('000-18 Ten keys are required', async () => {
    expect(Object.keys(least)).toHaveLength(10);
    await areRequired('', ...Object.keys(least));
  });

  it('000-19 A job refuses keys that nobody has named', () => refuses('priority', 1, null));

  it('000-20 The version is the text 1.0', () => refuses('version', '1.1', '2.0', '1', 1.0));

  it.each(['notificationId', 'openEventId', 'subscriptionId'])(
    '000-21 %s is a whole number from 1 on',
    async (name) => {
      await takes(name, 1, 9_007_199_254_740_991);
      await refuses(name, 0, -1, 1.5, '1');
    },
  );

  it('000-22 Dedupe key, locale and, if there is one, trace are texts', async () => {
    await areTexts('', 'dedupeKey', 'locale', 'traceId');
  });

  it('000-23 A recipient has an address and perhaps a name, and nothing else', async () => {
    await takes('recipient.email', 'bob+seats@example.org');
    await refuses('recipient.email', undefined, 'nobody', 'Bob <bob@example.org>', '');
    await areTexts('recipient.', 'name');
    await refuses('recipient.phone', '+1 848 555 0100');
  });

  it('000-24 A template has id and variables, perhaps a version, and nothing else', async () => {
    await areRequired('template.', 'id', 'variables');
    await refuses('template.layout', 'wide');
  });

  it('000-25 The template is open-seat', () => refuses('template.id', 'plain', 'open-seat-2', ''));

  it('000-26 The version of a template is a text; without it v1 is meant', async () => {
    await areTexts('template.', 'version');
    expect(inSchema('template.version')).toMatchObject({ default: 'v1' });
  });

  it.each(['courseTitle', 'courseString', 'sectionIndex', 'sectionNumber', 'meetingSummary', 'manageUrl'])(
    '000-27 The template needs the text %s',
    async (name) => {
      await refuses(`template.variables.${name}`, undefined, 7, null);
    },
  );

  it('000-28 Links among the variables are links, the moment is a moment, campus and notes are texts', async () => {
    for (const name of ['manageUrl', 'unsubscribeUrl']) {
      await takes(`template.variables.${name}`, 'https://seats.example.org/m?a=b');
      await refuses(`template.variables.${name}`, 'no link', '/m', 7);
    }
    await takes('template.variables.eventDetectedAt', isoTime);
    await refuses('template.variables.eventDetectedAt', 'yesterday', '2026-01-15', 7);
    await areTexts('template.variables.', 'campus', 'notes');
  });

  it('000-29 More variables are welcome, of any kind', () =>
    takes('template.variables.seenAt', 'today', 7, { ro: 'azi' }));

  it('000-30 An event has term, campus, index, the status after it and its moment', async () => {
    await areRequired('event.', 'termId', 'campusCode', 'indexNumber', 'statusAfter', 'eventAt');
  });

  it('000-31 An event has a whole number, a moment, texts, and whatever else', async () => {
    await takes('event.sectionId', 8);
    await refuses('event.sectionId', '8', 8.5);
    await takes('event.eventAt', isoTime);
    await refuses('event.eventAt', '2026-13-01T00:00:00Z', 'now', 7);
    await areTexts('event.', 'termId', 'campusCode', 'indexNumber', 'sectionNumber', 'subjectCode');
    await areTexts('event.', 'courseTitle', 'statusBefore', 'statusAfter', 'detectedBy', 'snapshotHash');
    await takes('event.seatDelta', 1);
  });

  const watch = { status: 'active', contactType: 'email' };

  it('000-32 A subscription may be left out; where it is, it has status and kind of contact, and whatever else', async () => {
    await takes('subscription', undefined, watch, { ...watch, since: 2025 });
    await refuses('subscription', { status: 'active' }, { contactType: 'email' }, 'active');
  });

  it('000-33 Five statuses of a subscription', async () => {
    for (const status of ['pending', 'active', 'paused', 'suppressed', 'unsubscribed'])
      await takes('subscription', { ...watch, status });
    await refuses('subscription', { ...watch, status: 'gone' }, { ...watch, status: 'Active' });
  });

  it('000-34 A contact is an e-mail address', () =>
    refuses('subscription', { ...watch, contactType: 'sms' }));

  it('000-35 Its value is an address, its hash and what was last known are texts', async () => {
    await takes('subscription', { ...watch, contactValue: 'ana@example.org' });
    await refuses('subscription', { ...watch, contactValue: 'ana' });
    for (const name of ['contactHash', 'lastKnownSectionStatus']) {
      await takes('subscription', { ...watch, [name]: 'Open' });
      await refuses('subscription', { ...watch, [name]: 7 });
    }
  });

  it('000-36 Preferences: words, a whole number, a window, a moment, and whatever else', async () => {
    const preferring = (preferences: unknown) => ({ ...watch, preferences });
    const taken = [
      ...[{}, { notifyOn: [] }, { notifyOn: ['open', 'closed'] }, { maxNotifications: 3 }],
      ...[{ deliveryWindow: { startMinutes: 420, endMinutes: 60 } }, { snoozeUntil: isoTime }, { theme: 1 }],
    ];
    await takes('subscription', ...taken.map(preferring));
    const refused = [
      ...['open', { notifyOn: 'open' }, { notifyOn: [1] }, { maxNotifications: 1.5 }],
      ...[{ deliveryWindow: { startMinutes: '7:00' } }, { deliveryWindow: { endMinutes: 0.5 } }],
      ...[{ deliveryWindow: [420, 60] }, { snoozeUntil: 'tomorrow' }],
    ];
    await refuses('subscription', ...refused.map(preferring));
  });

  it('000-37 Links: to manage and to leave, neither required, and no others', async () => {
    await takes('links', {});
    for (const name of ['manageUrl', 'unsubscribeUrl']) {
      await takes(`links.${name}`, 'https://seats.example.org/m');
      await refuses(`links.${name}`, 'no link', 7);
    }
    await refuses('links.home', 'https://seats.example.org/');
  });

  it('000-38 A policy may be left out, and has three keys at most', async () => {
    await takes('deliveryPolicy', undefined, {});
    await refuses('deliveryPolicy.jitter', true);
  });

  it('000-39 At most so many attempts: from 1 on, 3 unless told otherwise', async () => {
    await takes('deliveryPolicy.maxAttempts', 1, 12);
    await refuses('deliveryPolicy.maxAttempts', 0, 1.5, '3');
    expect(inSchema('deliveryPolicy.maxAttempts')).toMatchObject({ default: 3 });
  });

  it('000-40 A lock lasts for 30 seconds at least, 120 unless told otherwise', async () => {
    await takes('deliveryPolicy.lockTtlSeconds', 30, 900);
    await refuses('deliveryPolicy.lockTtlSeconds', 29, 30.5, '120');
    expect(inSchema('deliveryPolicy.lockTtlSeconds')).toMatchObject({ default: 120 });
  });

  it('000-41 The waits are whole milliseconds, none below 0; 0, 2 and 7 seconds unless told otherwise', async () => {
    await takes('deliveryPolicy.retryScheduleMs', [], [0], [1, 2, 3, 4]);
    await refuses('deliveryPolicy.retryScheduleMs', [-1], [0.5], ['1'], 2000);
    expect(inSchema('deliveryPolicy.retryScheduleMs')).toMatchObject({ default: [0, 2000, 7000] });
  });
});
