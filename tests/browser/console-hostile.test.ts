import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCapture } from '../../src/providers/capture.ts';
import { systemClock } from '../../src/std/clock.ts';
import { systemIds } from '../../src/std/ids.ts';
import { mailTo } from '../support/mails.ts';
import { type Chromium, hasChromium, startChromium } from './browser.ts';
import { type ConsoleWorld, createConsoleWorld } from './console-world.ts';

/** Whatever a stranger can fill in is shown as it is written, and runs nothing. */
describe.skipIf(!hasChromium)('hostile words in the console', () => {
  let world: ConsoleWorld;
  let chromium: Chromium;
  beforeAll(async () => {
    chromium = await startChromium();
    world = await createConsoleWorld();
  });
  afterAll(async () => {
    await chromium?.close();
    await world?.close();
  });

  const payload =
    '<img src=x onerror=parent.pwned=1><script>parent.pwned=1</script>"\'><svg onload=parent.pwned=1>';
  const inMail = `<script>parent.pwned=1;top.pwned=1</script><img src="x" onerror="parent.pwned=1"><img src="https://evil.example/a.png"><form action="https://evil.example"><button>x</button></form><a href="javascript:parent.pwned=1" target="_top">x</a><meta http-equiv="refresh" content="0;url=https://evil.example">`;

  test('in a recipient, an occasion, an error, a reason, a name, a mail', async () => {
    const { outbox, api, db } = world;
    const [made] = await outbox.enqueue([
      {
        ...{
          source: 'plain',
          occasion: payload,
          recipient: `${payload}@example.org`.slice(0, 300),
          lane: 'normal',
        },
        ...{ toEmail: 'someone@example.org', variables: { subject: payload, text: payload } },
      },
    ]);
    const seq = made?.seq ?? 0;
    const mail = {
      ...mailTo(1),
      subject: payload,
      html: inMail,
      text: payload,
      headers: { 'X-Odd': payload },
    };
    await db.transaction(async (tx) => {
      const { subject, html, text } = mail;
      const frozen = { sender: payload, to_email: 'someone@example.org', tags: '{}', frozen_at: 1 };
      await tx
        .insertInto('delivery_mails')
        .values({
          ...{ delivery_seq: seq, round: 1, subject, html, text, ...frozen },
          headers: JSON.stringify(mail.headers),
        })
        .execute();
      const error = JSON.stringify({ code: payload, message: payload });
      await tx
        .updateTable('deliveries')
        .set({ last_error: error, status: 'failed_permanent', round: 1, due_at: null })
        .where('seq', '=', seq)
        .execute();
    });
    await api.ask('POST', '/api/v1/pauses', {
      body: { scope: '*', reason: payload, by: payload.slice(0, 60) },
    });
    await api.ask('POST', '/api/v1/deliveries/requeue', {
      body: { references: [String(seq), payload.slice(0, 80)], reason: payload },
    });

    const provider = createCapture({ db, clock: systemClock, ids: systemIds });
    await provider.send({ key: 'hostile', mail, startBefore: Infinity, leaseEndsAt: Infinity });
    const { mails } = (await api.ask('GET', '/api/v1/inbox')).json;
    await api.ask('POST', '/api/v1/suppressions', {
      body: { addresses: ['odd@example.org'], because: payload, by: payload.slice(0, 60) },
    });
    const inboxMail = `/inbox/${mails[0].messageId}`;

    const { page, complaints, close } = await world.visit(chromium, '');
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    for (const path of [
      '',
      '/deliveries',
      `/deliveries/${seq}`,
      `/deliveries?q=${encodeURIComponent(payload)}`,
      '/dead-letters',
      '/suppressions',
      '/inbox',
      inboxMail,
      '/audit',
    ]) {
      await page.goto(`${api.url}/console${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForTimeout(500);
      expect(await page.evaluate('window.pwned')).toBeUndefined();
    }
    await page.goto(`${api.url}/console/deliveries/${seq}`);
    const frame = page.locator('iframe');
    await frame.waitFor();
    expect(await frame.getAttribute('sandbox')).toBe('');
    await page.waitForTimeout(300);
    for (const part of ['Text', 'Headers']) {
      await page.getByRole('tab', { name: part }).click();
      await page.locator('pre').last().waitFor();
    }
    expect(await page.evaluate('window.pwned')).toBeUndefined();
    expect(await page.locator('main img, main svg[onload], main script').count()).toBe(0);
    expect(dialogs).toEqual([]);
    expect(page.url()).toBe(`${api.url}/console/deliveries/${seq}`);
    // That the frame was kept from something is told by the browser, and is what we want; and whoever goes on breaks off what is being asked.
    expect(
      complaints.filter(
        (line) => !/^console: .*(Content Security Policy|sandboxed)|^failed: .*\/session /s.test(line),
      ),
    ).toEqual([]);
    await close();
  });
});
