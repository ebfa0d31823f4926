import { expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { createEngine } from '../../src/engine.ts';
import { systemClock } from '../../src/std/clock.ts';
import { silentLog } from '../../src/std/log.ts';
import { createFakeSmtp } from '../support/fake-smtp/fake-smtp.ts';
import { emptyDatabase, intentNumber } from '../support/world.ts';

/** The whole engine, with `smtp-server` at the other end of the wire and `postal-mime` to read what came out of it. */
it('a mail goes through a mail server once, and reads as it was asked for', async () => {
  const server = await createFakeSmtp();
  const database = await emptyDatabase('sqlite');
  const config = readConfig(
    {
      ...{
        DATABASE_URL: database.url,
        TIDINGS_ENV: 'test',
        MAIL_PROVIDER: 'smtp',
        SMTP_URL: server.plainUrl,
      },
      ...{ EMAIL_FROM_ADDRESS: 'Știri <noreply@example.org>', TOKEN_SECRET: 's'.repeat(32) },
      PLATFORM_BASE_URL: 'https://mail.example.org',
    },
    'no such file',
  );
  const engine = await createEngine(config, { log: silentLog, migrations: 'all' });
  try {
    const variables = { subject: 'Ședință „mâine” 😀', text: 'Bună ziua,\n.\nFrom noi & voi <b>' };
    const [made] = await engine.outbox.enqueue([intentNumber(1, { variables })]);
    engine.runner.start();
    const rowNow = async () => engine.queries.find(String(made?.seq));
    for (let tries = 0; tries < 1000 && (await rowNow())?.status !== 'sent'; tries++) {
      await systemClock.sleep(10);
    }
    const row = await rowNow();
    expect(row).toMatchObject({ status: 'sent', attempts: 1, round: 1 });

    const mails = await server.mails();
    expect(mails).toMatchObject([
      {
        ...{ from: { name: 'Știri', address: 'noreply@example.org' }, subject: variables.subject },
        to: [{ name: '', address: 'person-1@example.org' }],
        messageId: row?.provider_message_id,
        html: expect.stringContaining('From noi &amp; voi &lt;b&gt;'),
      },
    ]);
    expect(mails[0]?.text).toContain(variables.text);
    const headers = Object.fromEntries(mails[0]?.headers.map(({ key, value }) => [key, value]) ?? []);
    expect(headers).toMatchObject({
      'auto-submitted': 'auto-generated',
      'list-unsubscribe': expect.stringMatching(/^<https:\/\/mail\.example\.org\/\S+>$/),
      'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
    });
    // The way out is the same in the header and in the mail.
    const link = headers['list-unsubscribe']?.slice(1, -1);
    expect([mails[0]?.text, mails[0]?.html].every((body) => body?.includes(link ?? '?'))).toBe(true);
  } finally {
    await engine.close();
    await database.drop();
    await server.close();
  }
});
