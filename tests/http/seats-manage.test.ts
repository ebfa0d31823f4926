import { describe, expect, test } from 'vitest';
import type { Address } from '../../src/domain/address.ts';
import { termEndsAt } from '../../src/sources/course-seats/term.ts';
import { onBothDatabases } from '../support/world.ts';
import { post, term } from './seats-api-world.ts';
import { seatsPagesForAll } from './seats-pages-world.ts';

/** The page on which a student changes and ends a watch. */
onBothDatabases('links in mails to students', (dialect) => {
  const world = seatsPagesForAll(dialect);

  describe('the page of a watch', () => {
    const press = async (token: string, step: string, fields: Record<string, string> = {}) => {
      const { status, goesTo } = await post(world.api, `/seats/manage/${token}/${step}`, fields);
      expect([step, status]).toEqual([step, 303]);
      return (await world.get(goesTo ?? '')).text;
    };

    test('pause, resume, stop and undo, each with the sentence that says so', async () => {
      const token = await world.confirmed();
      expect(await press(token, 'pause')).toContain('Paused. No mail comes until you resume.');
      expect(await world.statusOf(token)).toBe('paused');
      expect(await press(token, 'resume')).toContain('Resumed. You are watching again.');
      const stopped = await press(token, 'stop');
      expect(stopped).toContain('Stopped. No more mails about this section.');
      expect(stopped).toContain('Pressed by mistake? Until');
      expect(stopped).toContain(`action="${token}/undo"`);
      expect(stopped).not.toContain(`${token}/hours`);
      expect(await press(token, 'undo')).toContain('Taken back. You are watching again.');
      expect(await world.statusOf(token)).toBe('active');
    });

    test('what never was confirmed, or was paused, is so again when it is taken back', async () => {
      const token = await world.watched();
      await press(token, 'stop');
      const text = await press(token, 'undo');
      expect(text).toContain('Taken back. It still waits for your confirmation.');
      expect(text).not.toContain('You are watching again.');
      expect(await world.statusOf(token)).toBe('pending');
      const other = await world.confirmed();
      await press(other, 'pause');
      await press(other, 'stop');
      expect(await press(other, 'undo')).toContain('Taken back. It stands as it did before.');
      expect(await world.statusOf(other)).toBe('paused');
      const snoozed = await world.confirmed();
      await press(snoozed, 'snooze', { until: 'tomorrow' });
      await press(snoozed, 'stop');
      expect(await press(snoozed, 'undo')).toContain('Taken back. It stands as it did before.');
    });

    test('a day later leaving is final, and the page says how to begin anew', async () => {
      const token = await world.confirmed();
      await press(token, 'stop');
      await world.clock.advance(25 * 3_600_000);
      const text = await press(token, 'undo');
      expect(text).toContain('That is not possible any more.');
      expect(text).toContain('This watch has ended.');
      expect(text).not.toContain(`action="${token}/undo"`);
      await world.poll();
    });

    test('snooze until tomorrow, next week and a day, and end it', async () => {
      const token = await world.confirmed();
      const until = async () =>
        (await world.seats.subscriptions.find(token))?.preferences.snoozeUntil ?? null;
      expect((await world.get(`/seats/manage/${token}`)).text).toContain('</span> Watching</span>');
      const snoozed = await press(token, 'snooze', { until: 'tomorrow' });
      expect(snoozed).toContain('No mail before');
      expect(snoozed).toContain('</span> Snoozed</span>');
      expect(await until()).toBeGreaterThan(world.clock.now());
      await press(token, 'snooze', { until: 'next-week' });
      await press(token, 'snooze', { until: '2026-03-08' });
      // Eight in the morning, of a day on which the clocks went forward.
      expect(await until()).toBe(Date.UTC(2026, 2, 8, 12));
      for (const wrong of ['2020-01-01', '2026-02-30', '', '9999-01-01', '<script>'])
        expect(await press(token, 'snooze', { until: wrong })).toContain(
          'Nothing was changed: choose a day from tomorrow on',
        );
      expect(await until()).toBe(Date.UTC(2026, 2, 8, 12));
      await press(token, 'wake');
      expect(await until()).toBeNull();
    });

    test('hours and the most mails', async () => {
      const token = await world.confirmed();
      const text = await press(token, 'hours', { from: '22:00', to: '07:30' });
      expect(text).toContain('Mail comes from 22:00 to 07:30.');
      expect(await press(token, 'hours', { from: '22:00', to: '' })).toContain(
        'Nothing was changed: fill in both times, or neither',
      );
      expect(await press(token, 'hours', { from: '22:00', to: '22:00' })).toContain(
        'Mail comes at any hour.',
      );
      await press(token, 'hours', { from: '22:00', to: '07:30' });
      expect(await press(token, 'hours', { from: '', to: '' })).toContain('Mail comes at any hour.');
      await press(token, 'hours', { from: '22:00', to: '07:30' });
      expect(await press(token, 'always')).toContain('Mail comes at any hour.');
      const limited = await press(token, 'most', { most: '3' });
      expect(limited).toContain('value="3"');
      expect(limited).toContain('0 of 3 mails so far.');
      for (const wrong of ['0', '-1', '1001', '2.5', 'x'])
        expect(await press(token, 'most', { most: wrong })).toContain(
          'Nothing was changed: give a whole number from 1 to 1000',
        );
      await press(token, 'most', { most: '' });
      expect((await world.seats.subscriptions.find(token))?.preferences).toMatchObject({
        ...{ deliveryWindow: null, maxNotifications: null },
      });
    });

    test('who stopped all mails is told so, and has the way back there', async () => {
      const email = world.somebody();
      const token = await world.confirmed(email);
      expect((await world.get(`/seats/manage/${token}`)).text).not.toContain('Mail me again');
      const { suppressions } = world.parts.api.consent;
      await suppressions.add([{ address: email as Address, reason: 'unsubscribed' }], 'the recipient');
      const { text } = await world.get(`/seats/manage/${token}`);
      expect(text).toContain('You have stopped all our mails');
      expect(text).toContain(`action="${token}/again"`);
      const after = await press(token, 'again');
      expect(after).toContain('Mail comes to you again.');
      expect(after).not.toContain('Mail me again');
    });

    test('who left and stopped all mails has one way back at a time', async () => {
      const email = world.somebody();
      const token = await world.confirmed(email);
      await press(token, 'stop');
      const { suppressions } = world.parts.api.consent;
      await suppressions.add([{ address: email as Address, reason: 'unsubscribed' }], 'the recipient');
      const { text } = await world.get(`/seats/manage/${token}`);
      expect(text).toContain(`action="${token}/again"`);
      expect(text).toContain('Press “Mail me again” first');
      expect(text).not.toContain(`action="${token}/undo"`);
      expect(await press(token, 'again')).toContain(`action="${token}/undo"`);
      expect(await press(token, 'undo')).toContain('Taken back. You are watching again.');
    });

    test('of an open section tells its watcher what comes next, and others not', async () => {
      const token = await world.confirmed(world.somebody(), '09215');
      const { text } = await world.get(`/seats/manage/${token}`);
      expect(text).toContain('You can register at once. You get a mail when it opens again');
      expect(await press(token, 'pause')).not.toContain('You get a mail when it opens again');
    });

    test('whose address bounced can go on when that is mended, and is asked by mail', async () => {
      const email = world.somebody();
      const token = await world.confirmed(email);
      const { suppressions } = world.parts.api.consent;
      await suppressions.add([{ address: email as Address, reason: 'bounced_for_good' }], 'evidence');
      await world.db.write
        .updateTable('subscriptions')
        .set({ status: 'suppressed' })
        .where('contact_value', '=', email)
        .execute();
      expect(await press(token, 'resume')).toContain('Mail to your address is still stopped here.');
      await suppressions.lift(email as Address, '*', { by: 'op', because: 'mended' });
      const text = await press(token, 'resume');
      expect(text).toContain('We have sent you a mail.');
      expect(text).toContain('Waits for your confirmation');
    });

    test('says that its section is gone, or that its term is over', async () => {
      const token = await world.confirmed(world.somebody(), '09215');
      const section = world.db.write.updateTable('sections').where('index_number', '=', '09215');
      await section.set({ gone_at: 1 }).execute();
      const gone = await world.get(`/seats/manage/${token}`);
      await section.set({ gone_at: null }).execute();
      expect(gone.text).toContain('This section is no longer in the catalog.');
      expect(gone.text).not.toContain('It is open right now');
      const late = { ...world.parts.clock, now: () => termEndsAt(term) ?? 0 };
      const server = await world.serveSeats({ server: { clock: late } });
      const over = await world.get(`/seats/manage/${token}`, {}, server);
      expect(over.text).toContain('This term is over.');
      expect(over.text).not.toContain('It is open right now');
      const page = await world.get(`/seats/${term}/09215`, {}, server);
      expect(page.text).toContain('This term is over.');
      expect(page.text).not.toContain('<form');
    });

    test('shows what else its owner watches, whose buttons come back here', async () => {
      const email = world.somebody();
      const token = await world.confirmed(email);
      const other = await world.confirmed(email, '09215');
      const stranger = await world.confirmed();
      const { text } = await world.get(`/seats/manage/${token}`);
      expect(text).toContain('What else you watch');
      expect(text).toContain(`<a href="${other}">`);
      expect(text).not.toContain(stranger);
      const { goesTo } = await post(world.api, `/seats/manage/${other}/pause`, { back: token });
      expect(goesTo).toBe(`/seats/manage/${token}?says=pause&about=09215`);
      expect((await world.get(goesTo ?? '')).text).toMatch(/<strong>01:198:111[^<]*: <\/strong>Paused/);
      expect(await world.statusOf(other)).toBe('paused');
      expect(await world.statusOf(token)).toBe('active');
    });

    test('goes back to nothing but pages of watches', async () => {
      const token = await world.confirmed();
      for (const back of ['https://elsewhere.example', '//elsewhere.example', '../../..', 'short'])
        expect((await post(world.api, `/seats/manage/${token}/pause`, { back })).goesTo).toBe(
          `/seats/manage/${token}?says=pause`,
        );
    });

    test('has no address on it, and says nothing that was made up', async () => {
      const token = await world.confirmed();
      const { text } = await world.get(`/seats/manage/${token}?says=<script>&about=99999`);
      expect(text).not.toContain('@example');
      expect(text).not.toContain('<script');
      expect(text).not.toContain('role="status"');
    });
  });
});
