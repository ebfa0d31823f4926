import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import type { Outcome } from '../../src/domain/outcome.ts';
import { createEngine } from '../../src/engine.ts';
import { createReliable } from '../../src/providers/reliable.ts';
import { validateMailJob } from '../../src/sources/course-seats/mail/validate-mail-job.ts';
import { silentLog } from '../../src/std/log.ts';
import { createSeededRandom } from '../../src/std/random.ts';
import { seatSourceOf } from '../seats/mail-world.ts';
import { payload } from '../seats/seats-world.ts';
import { advanceUntil, emptyDatabase, onBothDatabases } from '../support/world.ts';
import { busy, type ContractWorld, createContractWorld, links } from './seats-contract-world.ts';

/** Spec 000: what a job is made of, and what reaches the sender. */
onBothDatabases('000 from the queue to the sender', (dialect) => {
  let world: ContractWorld;
  beforeAll(async () => {
    world = await createContractWorld(dialect);
  });
  beforeEach(() => world.says());
  afterAll(() => world.close());

  const mailTo = (of: { subscriptionId: number }) => {
    const [parcel] = world.parcelsOf(of);
    if (!parcel) throw new Error('nothing was sent');
    return parcel.mail;
  };
  const reliable = () =>
    createReliable(world.provider, { clock: world.clock, random: createSeededRandom(1) });

  it('000-16 A job joins the row, its event and its subscription, and asks the catalog for what they do not know', async () => {
    const { seq, openEventId, subscriptionId, index } = await world.opened({
      contact_value: 'a@example.org',
    });
    expect(await world.job(seq)).toMatchObject({
      ...{ notificationId: seq, openEventId, subscriptionId, recipient: { email: 'a@example.org' } },
      event: { indexNumber: index, statusBefore: 'Closed', statusAfter: 'Open', detectedBy: 'open_sections' },
      subscription: { status: 'active', contactValue: 'a@example.org' },
    });
    // An index that no catalog knew when it opened, and one that none knows to this day.
    for (const [later, title] of [
      ['70001', 'Introduction to Computer Science'],
      ['70002', 'Section 70002'],
    ] as const) {
      const subscription = await world.addSubscription({ index_number: later, section_id: null });
      await world.opens(later);
      while ((await world.fanOut.runOnce()) > 0) {}
      if (later === '70001') await world.addSection(later);
      const { notification_id } = await world.db.read
        .selectFrom('open_event_notifications')
        .selectAll()
        .where('subscription_id', '=', subscription)
        .executeTakeFirstOrThrow();
      const job = await world.job(notification_id);
      expect(job.template.variables.courseTitle).toBe(title);
      expect(await validateMailJob(job)).toBeUndefined();
    }
  });

  it('000-42 Term, campus, index and section of a job are those of the event, whatever the subscription says', async () => {
    const { index, sectionId } = await world.newSection();
    const event = await world.addOpenEvent({ index_number: index, section_id: sectionId, campus_code: 'NK' });
    const watch = { index_number: index, section_id: null, campus_code: 'NB' };
    const seq = await world.tell(event, await world.addSubscription(watch));
    expect((await world.job(seq)).event).toMatchObject({
      ...{ termId: '12026', campusCode: 'NK', indexNumber: index, sectionId },
    });
  });

  it('000-43 Hash, title and section number are put down when the opening is seen, and read from there', async () => {
    const { seq, index, openEventId } = await world.opened();
    const stored = (await world.recorded()).find(({ open_event_id }) => open_event_id === openEventId);
    expect(JSON.parse(stored?.payload ?? '')).toMatchObject({
      ...{ courseTitle: 'Introduction to Computer Science', sectionNumber: '05', snapshotHash: 'hash-7' },
    });
    await world.db.write
      .updateTable('sections')
      .set({ section_number: '77', meeting_summary: 'other hours' })
      .where('index_number', '=', index)
      .execute();
    const { event, template } = await world.job(seq);
    expect(event).toMatchObject({
      ...{ courseTitle: 'Introduction to Computer Science', sectionNumber: '05', snapshotHash: 'hash-7' },
    });
    expect(template.variables).toMatchObject({ sectionNumber: '05', meetingSummary: payload.meetingSummary });
  });

  it('000-44 Another channel makes no mail: its row ends', async () => {
    const one = await world.opened({ contact_type: 'sms', contact_value: '+1 848 555 0100' });
    await world.turn();
    expect(await world.words(one.seq)).toBe('skipped not_email 1');
    expect(world.parcelsOf(one)).toEqual([]);
    expect(await validateMailJob(await world.job(one.seq))).toMatch(/^The mail job/);
  });

  it('000-72 Mail leaves through the patient sender, in the engine as it is put together', async () => {
    // What is put together is the same on both.
    const database = await emptyDatabase('sqlite');
    const config = readConfig({ DATABASE_URL: database.url, MAIL_PROVIDER: 'capture' }, 'no such file');
    const engine = await createEngine(config, { log: silentLog, migrations: 'all' });
    try {
      const one = await world.opened();
      await world.turn();
      const [parcel] = world.parcelsOf(one);
      if (!parcel) throw new Error('nothing was sent');
      const inTime = {
        startBefore: engine.clock.monotonic() + 60_000,
        leaseEndsAt: engine.clock.now() + 60_000,
      };
      // Only the patient one tells of its attempts: the inbox under it has none to tell of.
      expect(await engine.provider.send({ ...parcel, ...inTime })).toMatchObject({
        ...{ kind: 'accepted', attempts: [{ outcome: { kind: 'accepted' } }] },
      });
    } finally {
      await engine.close();
      await database.drop();
    }
  });

  it('000-73 A mail goes to the contact of its subscription', async () => {
    const one = await world.opened({ contact_value: 'ana.73@example.org' });
    await world.turn();
    expect(mailTo(one).to).toBe('ana.73@example.org');
  });

  it('000-74 It is written in the language of the subscription, or else in that of the deployment', async () => {
    const source = seatSourceOf(world, { defaultLocale: 'zh-CN' });
    const [chosen, none] = [await world.opened({ locale: 'ro' }), await world.opened({ locale: null })];
    await world.turn({ source });
    expect([mailTo(chosen).subject, mailTo(none).subject]).toEqual([
      expect.stringMatching(/^Loc liber: /),
      expect.stringMatching(/^有空位：/),
    ]);
    const other = await world.opened({ locale: null });
    await world.turn();
    expect(mailTo(other).subject).toMatch(/^Open: /);
  });

  it('000-75 The template is open-seat, in the version and with the variables of the job', async () => {
    const one = await world.opened();
    const { template } = await world.job(one.seq);
    const asked = await world.outbox.claim({
      ...{ source: 'course-seats', worker: 'w', limit: 100, leaseMs: 1, from: 'urgent' },
    });
    const draft = (await world.source.draft(asked)).get(one.seq);
    expect(draft).toMatchObject({ kind: 'draft', template: 'open-seat', version: template.version });
    const { courseTitle, courseString, sectionIndex, sectionNumber, campus } = template.variables;
    expect(draft).toMatchObject({
      props: { courseTitle, courseString, sectionIndex, sectionNumber, campus },
    });
    await world.clock.advance(1);
    await world.lookAfter();
    await world.turn();
    expect(await world.find(one.seq)).toMatchObject({ template_name: 'open-seat', template_version: 'v1' });
    for (const said of [courseTitle, courseString, sectionIndex, sectionNumber])
      expect(mailTo(one).text).toContain(said);
  });

  it('000-76 The ways to manage and to leave are those of the job', async () => {
    const leaving = 'https://seats.example.org/leave/abc';
    const source = seatSourceOf(world, {
      links: {
        manageUrl: () => links.manageUrl,
        unsubscribeUrls: async (owners) => new Map(owners.map(({ seq }) => [seq, leaving])),
      },
    });
    const one = await world.opened();
    await world.turn({ source });
    for (const part of [mailTo(one).text, mailTo(one).html])
      for (const link of [links.manageUrl, leaving]) expect(part).toContain(link);
  });

  it('000-77 The dedupe key of the row is on the mail, beside the key that is the delivery’s own (decision 0023)', async () => {
    const one = await world.opened();
    await world.turn();
    expect(mailTo(one).tags.dedupe_key).toBe((await world.row(one.seq)).dedupe_key);
    expect(world.parcelsOf(one)[0]?.key).toBe((await world.find(one.seq))?.id);
  });

  it('000-78 The trace of a mail is that of its event', async () => {
    const one = await world.opened();
    await world.turn();
    const stored = (await world.recorded()).find(({ open_event_id }) => open_event_id === one.openEventId);
    expect(stored?.trace_id).toBe('trace-7');
    expect([(await world.job(one.seq)).traceId, mailTo(one).tags.trace_id]).toEqual(['trace-7', 'trace-7']);
  });

  it('000-79 A mail carries its subscription, its event, term and campus', async () => {
    const one = await world.opened();
    await world.turn();
    expect(mailTo(one).tags).toMatchObject({
      ...{ subscription_id: String(one.subscriptionId), open_event_id: String(one.openEventId) },
      ...{ term: '12026', campus: 'NB' },
    });
  });

  it.each([
    ['accepted', { kind: 'accepted', messageId: 'm' }, 'sent 1'],
    ['refused for now', busy(), 'pending mailbox_busy 1'],
    ['refused for good', { kind: 'refused_for_good', error: { code: 'rejected' } }, 'failed rejected 1'],
    ['thrown', null, 'pending provider_threw 1'],
  ] as [string, Outcome | null, string][])(
    '000-80 What came of a send is an answer, also where the provider throws: %s',
    async (_, outcome, words) => {
      const one = await world.opened();
      world.provider.answer(() => {
        if (outcome === null) throw new Error('broken');
        return outcome;
      });
      const provider = reliable();
      await advanceUntil(world.clock, world.turn({ provider }));
      expect(await world.words(one.seq)).toBe(words);
      const [parcel] = world.parcelsOf(one);
      if (!parcel) throw new Error('nothing was sent');
      const inTime = { startBefore: Number.MAX_VALUE, leaseEndsAt: Number.MAX_VALUE };
      const answer = advanceUntil(world.clock, provider.send({ ...parcel, ...inTime }));
      expect(await answer).toMatchObject({ kind: outcome?.kind ?? 'unknown' });
      // Nothing is left for the next test.
      world.says();
      await world.clock.advance(60_000);
      await world.lookAfter();
      await world.turn();
    },
  );

  it('000-81 What the sender tries again by itself is one try of the queue', async () => {
    const one = await world.opened();
    const lost = { kind: 'refused_for_now', error: { code: 'connection_lost' } } as const;
    let calls = 0;
    world.provider.answer(({ key }) => (++calls < 3 ? lost : { kind: 'accepted', messageId: key }));
    await advanceUntil(world.clock, world.turn({ provider: reliable() }));
    expect([calls, world.parcelsOf(one).length]).toEqual([3, 3]);
    expect(await world.words(one.seq)).toBe('sent 1');
  });
});
