import { describe, expect, it } from 'vitest';
import { readConfig } from '../src/config.ts';
import { envFile, problemsOf } from './support/config-problems.ts';

const links = {
  PLATFORM_BASE_URL: 'https://mail.example.org',
  TOKEN_SECRET: 'thirty-two-characters-at-the-very-least',
};

describe('configuration', () => {
  it('times may be parts of a unit, and are bounded', () => {
    const some = readConfig({ HEAL_AFTER_HOURS: '0.5', DOUBT_AFTER_MINUTES: '90' }, 'no such file');
    expect([some.healAfterMs, some.doubtAfterMs]).toEqual([1_800_000, 5_400_000]);
    const wrong = ['0', '-1', '1e9', 'six'].flatMap((text) =>
      problemsOf({ HEAL_AFTER_HOURS: text, DOUBT_AFTER_MINUTES: text }),
    );
    expect(wrong).toHaveLength(8);
  });

  it('needs none: everything has a default that works on this machine', () => {
    expect(readConfig({}, 'no such file')).toEqual({
      socBaseUrl: '',
      socTerms: [],
      socCampuses: ['NB', 'NK', 'CM'],
      socTimeZone: 'America/New_York',
      verifiesAddresses: true,
      budgetApiUrl: '',
      budgetDatasets: './datasets',
      clerkSecretKey: '',
      clerkApiUrl: 'https://api.clerk.com',
      clerkJwtKey: '',
      triggerApiKeys: [],
      newslettersLocale: 'ro',
      entityUrl: '',
      preferencesUrl: '',
      emailPreviewEnabled: false,
      host: '127.0.0.1',
      port: 3000,
      databaseUrl: 'sqlite:./data/tidings.db',
      role: 'both',
      provider: 'capture',
      resendApiKey: '',
      resendBaseUrl: 'https://api.resend.com',
      resendMaxRps: 2,
      resendConnections: 64,
      quotaPerDay: null,
      quotaPerMonth: null,
      retentionMs: 90 * 86_400_000,
      doubtAfterMs: 3_600_000,
      healAfterMs: 6 * 3_600_000,
      postmarkServerToken: '',
      postmarkMessageStream: 'outbound',
      postmarkBaseUrl: 'https://api.postmarkapp.com',
      postmarkWebhookPasswords: [],
      smtpUrl: '',
      inboxDelayMs: 0,
      from: 'noreply@transparenta.eu',
      platformBaseUrl: '',
      tokenSecrets: [],
      unsubscribeOnGet: false,
      resendWebhookSecrets: [],
      operatorApiKeys: [],
      readApiKeys: [],
      serviceApiKeys: [],
      apiKey: '',
      jobsEnabled: false,
      jobsConcurrency: 5,
      redisUrl: '',
      redisPassword: '',
      bullmqPrefix: 'transparenta:jobs',
      environment: 'development',
      logLevel: 'info',
      otlpUrl: '',
      otlpTracesUrl: '',
      otlpHeaders: {},
      serviceName: 'tidings',
      traceRatio: 1,
    });
  });

  it('002-P2-02, 002-P2-10 Sender and role have the defaults of the specification', () => {
    expect(readConfig({}, '')).toMatchObject({ from: 'noreply@transparenta.eu', role: 'both' });
    expect(readConfig({ PROCESS_ROLE: 'worker' }, '')).toMatchObject({ role: 'worker' });
  });

  it('is read from .env, and the environment wins', () => {
    const file = envFile('PORT=4000\nHOST=localhost\n# a comment\nLOG_LEVEL="warn"\n');
    expect(readConfig({ PORT: '5000' }, file)).toMatchObject({
      port: 5000,
      host: 'localhost',
      logLevel: 'warn',
    });
  });

  it('takes an empty variable for one that is not set', () => {
    expect(readConfig({ PORT: '', DATABASE_URL: '' }, '')).toMatchObject({
      port: 3000,
      databaseUrl: 'sqlite:./data/tidings.db',
    });
  });

  it('reports all problems at once, each with what to do', () => {
    expect(
      problemsOf({
        PORT: '70000',
        PROCESS_ROLE: 'boss',
        EMAIL_FROM_ADDRESS: 'nobody',
        DATABASE_URL: 'mysql://x',
      }),
    ).toEqual([
      'PORT must be a number from 0 to 65535.',
      expect.stringMatching(/^DATABASE_URL must be sqlite:/),
      'PROCESS_ROLE must be one of api, worker, both.',
      expect.stringMatching(/^EMAIL_FROM_ADDRESS must be an address or Name <address>/),
    ]);
  });

  it('suggests the nearest name, in .env for any unknown name, in the environment for what looks like ours', () => {
    expect(problemsOf({}, envFile('DATABSE_URL=sqlite:x.db\nCOLOUR=blue')).toReversed()).toEqual([
      expect.stringMatching(/\.env sets DATABSE_URL, .* setting of Tidings\. Did you mean DATABASE_URL\?$/),
      expect.stringMatching(/\.env sets COLOUR, .* of Tidings\. All settings: docs\/configuration\.md\.$/),
    ]);
    expect(problemsOf({ PROCES_ROLE: 'api' })).toEqual([
      'PROCES_ROLE is set, but there is no such setting. Did you mean PROCESS_ROLE?',
    ]);
    // Others of the same family, which a cluster may set for every process in it.
    const family = [
      'EXPORTER_OTLP_METRICS_ENDPOINT',
      'EXPORTER_OTLP_PROTOCOL',
      'TRACES_SAMPLER',
      'TRACES_EXPORTER',
    ];
    expect(problemsOf(Object.fromEntries(family.map((name) => [`OTEL_${name}`, 'x'])))).toEqual([]);
  });

  it('leaves alone what is not ours: short names, far names, and near names where ours is set too', () => {
    expect(problemsOf({ HOME: '/', POST: '1', PATH: '/bin', npm_config_cache: 'x' })).toEqual([]);
    expect(problemsOf({ DATABASE_URI: 'x', DATABASE_URL: 'sqlite:a.db' })).toEqual([]);
  });

  it('refuses what contradicts itself', () => {
    expect(problemsOf({ PROCESS_ROLE: 'api', DATABASE_URL: 'sqlite::memory:' })).toEqual([
      expect.stringContaining('would never send'),
    ]);
  });

  it('002-P2-01, 002-P2-07 A provider that is chosen must have what it needs', () => {
    const EMAIL_FROM_ADDRESS = 'us@example.org';
    const base = { ...links, EMAIL_FROM_ADDRESS };
    expect(problemsOf({ ...base, MAIL_PROVIDER: 'resend' })).toEqual([
      expect.stringContaining('needs RESEND_API_KEY'),
    ]);
    expect(problemsOf({ ...base, MAIL_PROVIDER: 'smtp' })).toEqual([
      expect.stringContaining('needs SMTP_URL'),
    ]);
    expect(problemsOf({ ...base, MAIL_PROVIDER: 'resend', RESEND_API_KEY: 'short' })).toEqual([
      'RESEND_API_KEY must be at least 20 characters long.',
    ]);
    expect(problemsOf({ RESEND_MAX_RPS: '0' })).toEqual([expect.stringContaining('RESEND_MAX_RPS must be')]);
    expect(
      readConfig({ ...base, MAIL_PROVIDER: 'resend', RESEND_API_KEY: 're_0123456789abcdefghij' }, '')
        .resendMaxRps,
    ).toBe(2);
  });

  it('002-P2-09 Real mail needs a way out that works: where it leads, and a secret that signs it', () => {
    const env = {
      ...{ MAIL_PROVIDER: 'smtp', SMTP_URL: 'smtp://127.0.0.1:1', EMAIL_FROM_ADDRESS: 'us@example.org' },
    };
    expect(problemsOf(env)).toEqual([
      expect.stringMatching(/^MAIL_PROVIDER=smtp needs PLATFORM_BASE_URL, where people reach this server/),
      expect.stringMatching(/^MAIL_PROVIDER=smtp needs TOKEN_SECRET, which signs the links/),
    ]);
    expect(problemsOf({ ...env, ...links })).toEqual([]);
    expect(problemsOf({ ...env, ...links, PLATFORM_BASE_URL: 'http://127.0.0.1:3000/' })).toEqual([]);
    expect(problemsOf({ ...env, ...links, PLATFORM_BASE_URL: 'http://mail.example.org' })).toEqual([
      expect.stringMatching(/^PLATFORM_BASE_URL must begin with https:/),
    ]);
    for (const PLATFORM_BASE_URL of [
      'mail.example.org',
      'ftp://x.org',
      'https://x.org?a',
      'https://u@x.org',
    ]) {
      expect(problemsOf({ PLATFORM_BASE_URL })).toEqual([
        expect.stringMatching(/^PLATFORM_BASE_URL must be a URL/),
      ]);
    }
    for (const PLATFORM_BASE_URL of [
      'https:///x',
      'https://x.org/a b',
      'https://x.org/\n',
      'https://x.org\\y',
    ]) {
      expect(problemsOf({ PLATFORM_BASE_URL })).toHaveLength(1);
    }
    expect(readConfig({ PLATFORM_BASE_URL: 'https://MÜNCHEN.example/a>b/' }, '')).toMatchObject({
      platformBaseUrl: 'https://xn--mnchen-3ya.example/a%3Eb',
    });
    expect(problemsOf({ TOKEN_SECRET: 'short' })).toHaveLength(1);
  });

  it('webhook secrets are as Resend shows them, one or two', () => {
    const secret = `whsec_${'A'.repeat(32)}`;
    expect(readConfig({ RESEND_WEBHOOK_SECRET: `${secret}, ${secret}2` }, '')).toMatchObject({
      resendWebhookSecrets: [secret, `${secret}2`],
    });
    for (const RESEND_WEBHOOK_SECRET of ['whsec_', 'A'.repeat(40), `${secret},`, `${secret} `.repeat(2)]) {
      expect(problemsOf({ RESEND_WEBHOOK_SECRET })).toHaveLength(1);
    }
  });

  it('real mail is never sent from the default sender, unless somebody has chosen it', () => {
    const real = [
      { MAIL_PROVIDER: 'smtp', SMTP_URL: 'smtp://localhost:25' },
      { MAIL_PROVIDER: 'resend', RESEND_API_KEY: 're_0123456789abcdefghij' },
    ];
    for (const env of real) {
      const sentence = `MAIL_PROVIDER=${env.MAIL_PROVIDER} needs EMAIL_FROM_ADDRESS: your own sender. The default is not yours to send from.`;
      expect(problemsOf({ ...links, ...env })).toEqual([sentence]);
      expect(problemsOf({ ...links, ...env, EMAIL_FROM_ADDRESS: '' })).toEqual([sentence]);
      expect(problemsOf({ ...links, ...env, EMAIL_FROM_ADDRESS: 'noreply@transparenta.eu' })).toEqual([]);
      expect(problemsOf({ ...links, ...env }, envFile('EMAIL_FROM_ADDRESS=us@example.org'))).toEqual([]);
    }
  });

  it('8.24 Several keys of a role may be active; each is long enough, and none has two roles', () => {
    const [one, other] = ['a'.repeat(32), 'b'.repeat(32)];
    expect(readConfig({ OPERATOR_API_KEY: `${one}, ${other}` }, '').operatorApiKeys).toEqual([one, other]);
    expect(readConfig({}, '').readApiKeys).toEqual([]);
    for (const bad of ['a'.repeat(31), `${one},`, `${one},short`, `${'a'.repeat(20)} ${'a'.repeat(20)}`]) {
      expect(problemsOf({ READ_API_KEY: bad })).toEqual([
        'READ_API_KEY must be at least 32 characters long, without spaces; several are separated by commas.',
      ]);
    }
    expect(problemsOf({ READ_API_KEY: one, NOTIFICATION_TRIGGER_API_KEY: one })).toHaveLength(1);
    expect(problemsOf({ OPERATOR_API_KEY: one, SERVICE_API_KEY: one })).toEqual([
      expect.stringContaining('Give each its own.'),
    ]);
  });

  it('lets other machines in only with a key; a worker has nothing to open', () => {
    for (const HOST of ['0.0.0.0', '::', '10.0.0.1', 'example.org']) {
      expect(problemsOf({ HOST })).toEqual([expect.stringContaining('Set OPERATOR_API_KEY')]);
      expect(problemsOf({ HOST, PROCESS_ROLE: 'api' })).toEqual([
        expect.stringContaining('Set OPERATOR_API_KEY'),
      ]);
      expect(problemsOf({ HOST, PROCESS_ROLE: 'worker' })).toEqual([]);
      expect(problemsOf({ HOST, READ_API_KEY: 'r'.repeat(32) })).toEqual([]);
      expect(problemsOf({ HOST, OPERATOR_API_KEY: 'short' })).toEqual([
        expect.stringMatching(/^OPERATOR_API_KEY must be at least 32 characters long/),
      ]);
    }
    for (const HOST of ['127.0.0.1', '127.1.2.3', '::1', 'localhost'])
      expect(problemsOf({ HOST })).toEqual([]);
  });

  it('says which line of .env is none, and passes over an invisible mark at its beginning', () => {
    expect(problemsOf({}, envFile('\ufeffPORT=4000\nHOST: here\n\n# fine\n'))).toEqual([
      expect.stringMatching(/^Line 2 of .*\.env is not NAME=value\.$/),
    ]);
  });

  it('never prints a value: it may be a secret', () => {
    const secret = 'postgress://user:hunter2@db/x';
    expect(
      problemsOf({ DATABASE_URL: secret, PORT: 'hunter2', EMAIL_FROM_ADDRESS: 'hunter2' }).join(),
    ).not.toContain('hunter2');
  });

  it('prints no value of .env either, where a line has no sign between name and value', () => {
    const file = envFile('TOKEN_SECRET hunter2hunter2\nPORT=4210\n');
    expect(problemsOf({}, file)).toContainEqual(
      expect.stringMatching(/^Line 1 of .*\.env is not NAME=value\.$/),
    );
    expect(problemsOf({}, file).join()).not.toContain('hunter2');
    const quoted = envFile('TOKEN_SECRET hunter2hunter2\nPORT="4210"\n');
    expect(problemsOf({}, quoted)).toEqual([
      expect.stringMatching(/^Line 1 of .*\.env is not NAME=value\.$/),
    ]);
  });

  it.each([
    ['PORT="3799"\njusttext', 2],
    ['EMAIL_FROM_ADDRESS="A <a@b.org>"\nOPERATOR_API_KEY abcdef\n', 2],
    ['PORT=3799\nEMAIL_FROM_ADDRESS="A <a@b.org>"\nTOKEN_SECRET\nHOST=127.0.0.1\n', 3],
    ["# it's fine\nLOG_LEVEL='warn'\r\n\r\nTOKEN_SECRET\r\nPORT=1\r\n", 4],
    ['DATABASE_URL="sqlite:a\n\nb.db" # two\nTOKEN_SECRET\n', 4],
    ['LOG_LEVEL="warn\nTOKEN_SECRET\n', 2],
  ])('says which line is none, whatever is quoted around it: %j', (text, line) => {
    expect(problemsOf({}, envFile(text)).filter((problem) => problem.includes('NAME=value'))).toEqual([
      expect.stringMatching(new RegExp(`^Line ${line} of .*\\.env is not NAME=value\\.$`)),
    ]);
  });

  it('takes a quoted value over several lines, whatever is in it, and blanks and comments around it', () => {
    const file = envFile(
      'BUDGET_DATASETS="a\n# not a comment\n \nb" # one\n \t\nPORT=4000\n# HOST=example.org',
    );
    expect(readConfig({}, file)).toMatchObject({
      ...{ budgetDatasets: 'a\n# not a comment\n \nb', port: 4000, host: '127.0.0.1' },
    });
  });

  it('shows what an address of a mail server looks like, with a user whose password has special characters', () => {
    expect(problemsOf({ SMTP_URL: 'smtp://tid:sec/ret@mail.example.org:587' })).toEqual([
      'SMTP_URL must be smtp://user:password@host:port or smtps://…, with special characters of user and password percent-encoded.',
    ]);
    expect(problemsOf({ SMTP_URL: 'smtp://tid:sec%2Fret@mail.example.org:587' })).toEqual([]);
  });

  it('is frozen', () => {
    expect(Object.isFrozen(readConfig({}, ''))).toBe(true);
  });
});
