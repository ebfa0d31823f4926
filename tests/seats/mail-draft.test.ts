import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { checkMail } from '../../src/domain/message.ts';
import { rutgersRegistrationUrl } from '../../src/sources/course-seats/registration.ts';
import { baseUrl } from '../support/consent.ts';
import { onBothDatabases } from '../support/world.ts';
import { createMailWorld, type MailWorld, seatSourceOf } from './mail-world.ts';
import { payload } from './seats-world.ts';

onBothDatabases('a seat mail', (dialect) => {
  let world: MailWorld;
  beforeEach(async () => {
    world = await createMailWorld(dialect, { registrationUrl: rutgersRegistrationUrl });
  });
  afterEach(() => world.close());

  const sent = () => world.provider.ledger.map(({ mail }) => mail);

  it('000-16 000-73 000-75 is made of event, subscription and catalog, and goes to the contact', async () => {
    const subscription = await world.addSubscription({ contact_value: 'Ana@Example.org' });
    const seq = await world.tell(await world.addOpenEvent(), subscription);
    await world.send(world.source);
    const [mail] = sent();
    expect(mail).toMatchObject({
      to: 'Ana@example.org',
      subject: 'Open: 01:198:111 section 05, index 09214',
      headers: { 'List-Unsubscribe': expect.stringContaining(baseUrl) },
    });
    expect(mail?.text).toMatch(
      /INTRO COMPUTER SCI\n01:198:111 section 05, index 09214\nSeen open: Wed,? 31 December, /,
    );
    expect(mail?.text).toContain('Campus: New Brunswick');
    expect(mail?.text).toContain('Meets:\nMon 10:20-11:40 BUS HIL 114\nThu 10:20-11:40 BUS HIL 114');
    expect(mail?.text).toContain(
      'https://sims.rutgers.edu/webreg/editSchedule.htm?login=cas&semesterSelection=12026&indexList=09214',
    );
    expect(await world.queue(seq)).toBe('sent 1');
    expect(await world.find(seq)).toMatchObject({ template_name: 'open-seat', template_version: 'v1' });
  });

  it('000-76 has the links of its job: to manage the watch, and the same way out as its header', async () => {
    const subscription = await world.addSubscription({ token_id: 'abc' });
    await world.tell(await world.addOpenEvent(), subscription);
    await world.send(world.source);
    const [mail] = sent();
    expect(mail?.text).toContain('https://seats.example.org/manage/t-abc');
    const wayOut = mail?.headers['List-Unsubscribe']?.slice(1, -1) ?? 'none';
    expect(mail?.text).toContain(wayOut);
    expect(mail?.html).toContain(wayOut);
  });

  it('000-77 000-78 000-79 carries what it is about as tags, and has a key of its own', async () => {
    const event = await world.addOpenEvent({
      dedupe_key: 'd'.repeat(40),
      trace_id: 'poll:7',
      campus_code: 'NK',
    });
    const [one, two] = [await world.addSubscription(), await world.addSubscription()];
    for (const subscription of [one, two]) await world.tell(event, subscription);
    await world.send(world.source);
    expect(sent().map(({ tags }) => tags)).toEqual(
      [one, two].map((subscription) => ({
        ...{
          subscription_id: String(subscription),
          open_event_id: String(event),
          term: '12026',
          campus: 'NK',
        },
        ...{ dedupe_key: 'd'.repeat(40), trace_id: 'poll-7' },
        ...{ delivery_id: expect.any(String), round: '1', env: 'test' },
      })),
    );
    // 8.1: one event, two people, two mails.
    expect(new Set(world.provider.ledger.map(({ key }) => key)).size).toBe(2);
  });

  it('000-43 says what was true when the seat opened, whatever the catalog says by now', async () => {
    await world.tell(await world.addOpenEvent(), await world.addSubscription());
    await world.db.write
      .updateTable('courses')
      .set({ title: 'ANOTHER', expanded_title: 'ANOTHER' })
      .execute();
    await world.db.write.updateTable('sections').set({ section_number: '77' }).execute();
    await world.send(world.source);
    expect(sent()[0]?.text).toContain('INTRO COMPUTER SCI\n01:198:111 section 05');
    expect(sent()[0]?.text).not.toMatch(/ANOTHER|77/);
  });

  it.each([
    ['ro', 'Loc liber: 01:198:111 secțiunea 05, index 09214'],
    ['zh-CN', '有空位：01:198:111 05 班，编号 09214'],
    [null, 'Open: 01:198:111 section 05, index 09214'],
  ])('000-74 is written in the language of the subscription: %s', async (locale, subject) => {
    await world.tell(await world.addOpenEvent(), await world.addSubscription({ locale }));
    await world.send(world.source);
    expect(sent().map((mail) => mail.subject)).toEqual([subject]);
  });

  it('warns of permission and restrictions, and says which twin is open now', async () => {
    const twin = (number: string) => ({ index: number, courseString: '04:547:111', sectionNumber: '01' });
    await world.addSection('09315', { last_known_section_status: 'Closed' });
    await world.addSection('09316', { last_known_section_status: 'Open' });
    const event = await world.addOpenEvent({
      payload: JSON.stringify({
        ...payload,
        ...{ specialPermission: 'Department staff', restrictions: 'MAJ: 198', notes: 'Bring a laptop' },
        crossListed: [twin('09315'), twin('09316'), twin('00000')],
      }),
    });
    await world.tell(event, await world.addSubscription());
    await world.send(world.source);
    const text = sent()[0]?.text;
    expect(text).toContain('Special permission is needed to add it: Department staff');
    expect(text).toContain('Open only to: MAJ: 198');
    expect(text).toContain('open too: 04:547:111 01 (09316)');
    expect(text).toContain('not open: 04:547:111 01 (09315), 04:547:111 01 (00000)');
  });

  it('8.13 has stand-ins for an index that no catalog knows', async () => {
    const unresolved = { section_id: null, index_number: '12345' };
    const standIn = {
      courseTitle: 'Section 12345',
      courseString: 'TBA',
      sectionNumber: 'TBA',
      isResolved: false,
    };
    const event = await world.addOpenEvent({
      ...unresolved,
      payload: JSON.stringify({ ...standIn, meetingSummary: 'TBA', snapshotHash: 'x' }),
    });
    await world.tell(event, await world.addSubscription(unresolved));
    await world.tell(
      await world.addOpenEvent({ ...unresolved, index_number: '12346', payload: 'null' }),
      await world.addSubscription({ ...unresolved, index_number: '12346' }),
    );
    await world.send(world.source);
    expect(sent().map(({ subject }) => subject)).toEqual(['Open: index 12345', 'Open: index 12346']);
  });

  it('000-16 and is enriched when the catalog has learnt of it since', async () => {
    await world.addSection('12345', { section_number: '09' });
    const standIn = {
      courseTitle: 'Section 12345',
      courseString: 'TBA',
      sectionNumber: 'TBA',
      isResolved: false,
    };
    const event = await world.addOpenEvent({
      ...{ section_id: null, index_number: '12345' },
      payload: JSON.stringify({ ...standIn, meetingSummary: 'TBA', snapshotHash: null }),
    });
    await world.tell(event, await world.addSubscription({ index_number: '12345' }));
    await world.send(world.source);
    expect(sent()[0]?.subject).toBe('Open: 01:198:111 section 09, index 12345');
    expect(sent()[0]?.text).toContain('Introduction to Computer Science');
  });

  it.each([
    ['000-44 000-61 another channel', { contact_type: 'sms' }, 'skipped not_email 1'],
    ['000-58 an address that is none', { contact_value: 'nobody' }, 'skipped invalid_recipient 1'],
    ['000-59 a language that nobody has written', { locale: 'fr' }, 'skipped missing_locale 1'],
    ['nobody to write to', { contact_value: null }, 'skipped no_address 1'],
  ])('%s ends the row, and nothing leaves', async (_, change, row) => {
    const seq = await world.tell(await world.addOpenEvent(), await world.addSubscription(change));
    await world.send(world.source);
    expect(await world.queue(seq)).toBe(row);
    expect(sent()).toEqual([]);
  });

  it('a job that breaks its contract is no mail', async () => {
    const source = seatSourceOf(world, {
      links: { manageUrl: () => 'no link at all', unsubscribeUrls: async () => new Map() },
    });
    const seq = await world.tell(await world.addOpenEvent(), await world.addSubscription());
    await world.send(source);
    expect(await world.queue(seq)).toBe('skipped invalid_mail_job 1');
    expect((await world.find(seq))?.last_error).toContain('variables/manageUrl must match format');
    expect(sent()).toEqual([]);
  });

  it('one that is gone does not hold back the others', async () => {
    const [event, subscription] = [await world.addOpenEvent(), await world.addSubscription()];
    const gone = await world.tell(event, subscription);
    const other = await world.tell(event, await world.addSubscription());
    await world.db.write.deleteFrom('subscriptions').where('subscription_id', '=', subscription).execute();
    await world.send(world.source);
    expect(await world.queue(gone)).toBe('failed event_gone 1');
    expect(await world.queue(other)).toBe('sent 1');
  });

  it('is written whatever a catalog says: no words of a stranger lose somebody their mail', async () => {
    const words = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.constantFrom('=?a?=', 'x'.repeat(5000), '\r\n'),
    );
    const payloads = fc.sample(
      fc.record({
        ...{ courseTitle: words, courseString: words, sectionNumber: words, meetingSummary: words },
        ...{ specialPermission: words, restrictions: words, notes: words, snapshotHash: words },
        crossListed: fc.array(fc.record({ index: words, courseString: words, sectionNumber: words })),
      }),
      { numRuns: 40, seed: 7 },
    );
    const seqs: number[] = [];
    for (const [at, each] of payloads.entries()) {
      const index_number = String(10_000 + at);
      // PostgreSQL stores half of a character as JSON escapes it.
      const event = await world.addOpenEvent({
        index_number,
        section_id: null,
        payload: JSON.stringify(each),
      });
      seqs.push(await world.tell(event, await world.addSubscription({ index_number })));
    }
    await world.send(world.source);
    for (const seq of seqs) expect(await world.queue(seq)).toBe('sent 1');
    for (const mail of sent()) expect(checkMail(mail)).toEqual({ ok: true });
  });
});
