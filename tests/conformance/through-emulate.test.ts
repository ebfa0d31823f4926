import { expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { createEngine } from '../../src/engine.ts';
import { systemClock } from '../../src/std/clock.ts';
import { silentLog } from '../../src/std/log.ts';
import { webhookSecret } from '../support/webhooks.ts';
import { emptyDatabase, intentNumber } from '../support/world.ts';
import { eventBody, signed } from '../webhooks/signed.ts';
import { fullKey, startEmulate } from './two-resends.ts';

/** The whole engine, with a Resend that is not ours on one side and webhooks that are not signed by us on the other. */
it('a mail goes through emulate once, as it was asked for, and is delivered on the word of a webhook', async () => {
  const emulate = await startEmulate();
  const database = await emptyDatabase('sqlite');
  const config = readConfig(
    {
      ...{ DATABASE_URL: database.url, TIDINGS_ENV: 'test', RESEND_WEBHOOK_SECRET: webhookSecret },
      ...{ MAIL_PROVIDER: 'resend', RESEND_API_KEY: fullKey, RESEND_BASE_URL: emulate.url },
      ...{ EMAIL_FROM_ADDRESS: 'Tidings <noreply@example.org>', TOKEN_SECRET: 's'.repeat(32) },
      PLATFORM_BASE_URL: 'https://mail.example.org',
    },
    'no such file',
  );
  const engine = await createEngine(config, { log: silentLog, migrations: 'all' });
  try {
    const ask = () => engine.outbox.enqueue([intentNumber(1)]);
    const rowNow = async () => engine.queries.find(String(made?.seq));
    const [made] = await ask();
    engine.runner.start();
    for (let tries = 0; tries < 1000 && (await rowNow())?.status !== 'sent'; tries++) {
      await systemClock.sleep(10);
    }
    const row = await rowNow();
    expect(row).toMatchObject({ status: 'sent', attempts: 1, round: 1 });
    // Whoever asks again is told of the same delivery.
    expect(await ask()).toMatchObject([{ seq: made?.seq, isNew: false }]);

    const { data: mails } = (await (await fetch(`${emulate.url}/emails`)).json()) as { data: object[] };
    const link = expect.stringMatching(/^<https:\/\/mail\.example\.org\/\S+>$/);
    expect(mails).toMatchObject([
      {
        ...{ id: row?.provider_message_id, from: 'Tidings <noreply@example.org>' },
        ...{ to: ['person-1@example.org'], subject: 'Subject 1' },
        html: expect.stringContaining('Text 1'),
        text: expect.stringContaining('Text 1'),
        headers: {
          ...{ 'Auto-Submitted': 'auto-generated', 'List-Unsubscribe': link },
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        },
        tags: [
          { name: 'delivery_id', value: row?.id },
          { name: 'env', value: 'test' },
          { name: 'round', value: '1' },
        ],
      },
    ]);

    const at = engine.clock.now();
    const words = { type: 'email.delivered', at, messageId: row?.provider_message_id ?? '' };
    await engine.webhooks.receive(signed('msg_1', eventBody(words), { at }));
    expect(await rowNow()).toMatchObject({ status: 'delivered', attempts: 1, round: 1 });
  } finally {
    await engine.close();
    await database.drop();
    await emulate.close();
  }
});
