import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Status, statusNames } from '../../src/domain/status.ts';
import { render } from '../../src/emails/render.ts';
import { openSeat } from '../../src/emails/templates/open-seat.tsx';
import { validateMailJob } from '../../src/sources/course-seats/mail/validate-mail-job.ts';
import { type FanoutStatus, seatWords } from '../../src/sources/course-seats/words.ts';
import { onBothDatabases } from '../support/world.ts';
import { busy, type ContractWorld, createContractWorld } from './seats-contract-world.ts';

type Shape = { required?: string[]; properties?: Record<string, Shape>; enum?: string[] };
const schema = JSON.parse(
  readFileSync(new URL('../../src/sources/course-seats/mail/mail-job.schema.json', import.meta.url), 'utf8'),
) as Shape;

/** All that is required, and all that has a name: `event.termId`, … */
function namesOf(
  { required = [], properties = {} }: Shape,
  under = '',
): { required: string[]; named: string[] } {
  const inner = Object.entries(properties).map(([name, shape]) => namesOf(shape, `${under}${name}.`));
  return {
    required: [...required.map((name) => under + name), ...inner.flatMap((each) => each.required)],
    named: [...Object.keys(properties).map((name) => under + name), ...inner.flatMap((each) => each.named)],
  };
}

/** What version 1.0 requires, written down when it was made. */
const requiredInOne = [
  ...['version', 'notificationId', 'openEventId', 'subscriptionId', 'dedupeKey', 'locale', 'recipient'],
  ...['template', 'event', 'links', 'recipient.email', 'template.id', 'template.variables'],
  ...['courseTitle', 'courseString', 'sectionIndex', 'sectionNumber', 'meetingSummary', 'manageUrl'].map(
    (name) => `template.variables.${name}`,
  ),
  ...['termId', 'campusCode', 'indexNumber', 'statusAfter', 'eventAt'].map((name) => `event.${name}`),
  ...['subscription.status', 'subscription.contactType'],
];
const namedInOne = [
  ...requiredInOne,
  ...['traceId', 'subscription', 'deliveryPolicy', 'recipient.name', 'template.version'],
  ...['campus', 'eventDetectedAt', 'unsubscribeUrl', 'notes'].map((name) => `template.variables.${name}`),
  ...[
    'sectionId',
    'sectionNumber',
    'subjectCode',
    'courseTitle',
    'statusBefore',
    'detectedBy',
    'snapshotHash',
  ].map((name) => `event.${name}`),
  ...['contactValue', 'contactHash', 'lastKnownSectionStatus', 'preferences'].map(
    (name) => `subscription.${name}`,
  ),
  ...['notifyOn', 'maxNotifications', 'deliveryWindow', 'snoozeUntil'].map(
    (name) => `subscription.preferences.${name}`,
  ),
  ...['startMinutes', 'endMinutes'].map((name) => `subscription.preferences.deliveryWindow.${name}`),
  ...['links.manageUrl', 'links.unsubscribeUrl'],
  ...['maxAttempts', 'lockTtlSeconds', 'retryScheduleMs'].map((name) => `deliveryPolicy.${name}`),
];

describe('000 versioning of the contract', () => {
  it('000-82 A version is two numbers; within the first nothing more is required than in 1.0', () => {
    const versions = schema.properties?.version?.enum ?? [];
    expect(versions.filter((version) => !/^1\.\d+$/.test(version))).toEqual([]);
    expect(namesOf(schema).required.sort()).toEqual([...requiredInOne].sort());
  });

  it('000-83 Within the first nothing is taken away or named anew', () => {
    const { named } = namesOf(schema);
    expect(namedInOne.filter((name) => !named.includes(name))).toEqual([]);
  });

  const wordsInOne: Record<Status, FanoutStatus> = {
    ...{ pending: 'pending', claimed: 'pending', sending: 'pending', failed_transient: 'pending' },
    ...{ reconciling: 'pending', sent: 'sent', delivered: 'sent', suppressed: 'skipped' },
    ...{ skipped_unsubscribed: 'skipped', skipped_no_email: 'skipped', skipped_ineligible: 'skipped' },
    ...{ failed_permanent: 'failed', needs_review: 'failed', expired: 'expired' },
  };

  it.each(statusNames)('000-87 The words of the queue mean what they meant in 1.0: %s', (status) => {
    const told = { status, errorCode: 'some_code' };
    expect(seatWords({ ...told, wasAccepted: false })).toBe(wordsInOne[status]);
    // What was stopped after it was sent was sent.
    const after = status === 'suppressed' ? 'sent' : wordsInOne[status];
    expect(seatWords({ ...told, wasAccepted: true })).toBe(after);
  });
});

onBothDatabases('000 versions that are sent', (dialect) => {
  let world: ContractWorld;
  beforeAll(async () => {
    world = await createContractWorld(dialect);
  });
  beforeEach(() => world.says());
  afterAll(() => world.close());

  it('000-84 A job has the lowest version that there is, which every worker takes', async () => {
    const job = await world.job((await world.opened()).seq);
    const majors = (schema.properties?.version?.enum ?? []).map((version) => Number(version.split('.')[0]));
    expect(job.version).toBe(`${Math.min(...majors)}.0`);
    expect(await validateMailJob(job)).toBeUndefined();
  });

  it('000-85 The version of the template is handed on to whoever loads it, and changes nothing in the queue', async () => {
    const [known, unknown] = [await world.opened(), await world.opened()];
    expect((await world.job(known.seq)).template.version).toBe(openSeat.version);
    const source = world.drafting(unknown, () => ({ version: 'v99' }));
    await world.turn({ source });
    expect(await world.words(known.seq)).toBe('sent 1');
    expect((await world.find(known.seq))?.template_version).toBe(openSeat.version);
    // One that nobody has written is not there, as any other template that is missing.
    expect(await world.words(unknown.seq)).toBe('failed missing_template 1');
    const order = { template: 'open-seat', locale: 'en', props: openSeat.samples.short ?? {} };
    expect(await render({ ...order, version: openSeat.version })).toEqual(await render(order));
  });

  it('000-86 An error has what it had, whatever is added: who reads it by code, or by provider and number, still can', async () => {
    const [sent, again, ended] = [
      await world.opened(),
      await world.opened(),
      await world.opened({ contact_value: 'nobody' }),
    ];
    world.provider.answer(({ key, mail: { tags } }) =>
      tags.subscription_id === String(again.subscriptionId)
        ? busy(90_000)
        : { kind: 'accepted', messageId: key },
    );
    await world.turn();
    const text = { code: expect.any(String), message: expect.any(String) };
    expect((await world.row(sent.seq)).error).toMatchObject({
      ...{ provider: 'fake', providerMessageId: expect.any(String), status: 'sent' },
    });
    expect((await world.row(again.seq)).error).toMatchObject({ ...text, retryAfterSeconds: 90 });
    expect((await world.row(ended.seq)).error).toMatchObject(text);
  });
});
