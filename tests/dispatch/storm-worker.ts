import { readConfig } from '../../src/config.ts';
import { createEngine } from '../../src/engine.ts';
import { silentLog } from '../../src/std/log.ts';
import { linkSettings } from '../support/consent.ts';

/** One process of the storm: the whole engine with Resend as its provider, from the first message to the second. */
const [databaseUrl, resendBaseUrl, ratePerSecond] = process.argv.slice(2) as [string, string, string];
const config = readConfig(
  {
    DATABASE_URL: databaseUrl,
    MAIL_PROVIDER: 'resend',
    RESEND_API_KEY: 're_one_key_of_the_storm',
    RESEND_BASE_URL: resendBaseUrl,
    RESEND_MAX_RPS: ratePerSecond,
    ...linkSettings,
    EMAIL_FROM_ADDRESS: 'Tidings <noreply@example.org>',
  },
  '',
);
const engine = await createEngine(config, { log: silentLog, migrations: 'empty database only' });
const word = () => new Promise((resolve) => process.once('message', resolve));

process.send?.('ready');
await word();
engine.runner.start();
await word();
await engine.close();
process.send?.('stopped', () => process.disconnect());
