import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { problemsOf } from '../support/config-problems.ts';
import { linkSettings } from '../support/consent.ts';

/** Spec 002, phase 2: the environment, read as a process reads it. */
describe('002 phase 2: settings', () => {
  const read = (settings: Record<string, string>) => readConfig(settings, 'no such file');
  const real = {
    ...{ MAIL_PROVIDER: 'resend', RESEND_API_KEY: 'r'.repeat(20), EMAIL_FROM_ADDRESS: 'us@example.org' },
    ...linkSettings,
  };

  it('002-P2-01 `RESEND_API_KEY`: optional, at least 20 characters', () => {
    expect(read({}).resendApiKey).toBe('');
    expect(read({ RESEND_API_KEY: 'r'.repeat(20) }).resendApiKey).toBe('r'.repeat(20));
    expect(problemsOf({ RESEND_API_KEY: 'r'.repeat(19) })).toEqual([
      'RESEND_API_KEY must be at least 20 characters long.',
    ]);
  });

  it('002-P2-02 `EMAIL_FROM_ADDRESS`: optional, default `noreply@transparenta.eu`', () => {
    expect(read({}).from).toBe('noreply@transparenta.eu');
    expect(read({ EMAIL_FROM_ADDRESS: 'Budgets <us@example.org>' }).from).toBe('Budgets <us@example.org>');
    // Where mail really leaves it is asked for: the default is somebody's domain.
    const { EMAIL_FROM_ADDRESS: _, ...without } = real;
    expect(problemsOf(without)).toEqual([expect.stringContaining('EMAIL_FROM_ADDRESS')]);
    expect(problemsOf(real)).toEqual([]);
  });

  it('002-P2-03 `EMAIL_PREVIEW_ENABLED`: optional boolean, default false', () => {
    const isEnabled = (settings: Record<string, string>) => read(settings).emailPreviewEnabled;
    expect(isEnabled({})).toBe(false);
    expect(['true', 'false'].map((text) => isEnabled({ EMAIL_PREVIEW_ENABLED: text }))).toEqual([
      true,
      false,
    ]);
    expect(problemsOf({ EMAIL_PREVIEW_ENABLED: 'yes' })).toHaveLength(1);
  });

  it('002-P2-04 `RESEND_WEBHOOK_SECRET`: optional, at least 32 characters', () => {
    const secret = (characters: number) => `whsec_${'A'.repeat(characters - 6)}`;
    expect(read({}).resendWebhookSecrets).toEqual([]);
    expect(read({ RESEND_WEBHOOK_SECRET: secret(32) }).resendWebhookSecrets).toEqual([secret(32)]);
    expect(problemsOf({ RESEND_WEBHOOK_SECRET: secret(31) })).toHaveLength(1);
  });

  it('002-P2-07 `RESEND_MAX_RPS`: optional number, default 2', () => {
    expect(read({}).resendMaxRps).toBe(2);
    expect(read({ RESEND_MAX_RPS: '7.5' }).resendMaxRps).toBe(7.5);
    for (const RESEND_MAX_RPS of ['0', '-1', 'two', 'Infinity'])
      expect(problemsOf({ RESEND_MAX_RPS })).toHaveLength(1);
  });

  it('002-P2-08 `NOTIFICATION_TRIGGER_API_KEY`: optional, at least 32 characters', () => {
    expect(read({}).triggerApiKeys).toEqual([]);
    const [first, other] = ['k'.repeat(32), 'l'.repeat(40)];
    expect(read({ NOTIFICATION_TRIGGER_API_KEY: first }).triggerApiKeys).toEqual([first]);
    // 8.24: several may be active.
    expect(read({ NOTIFICATION_TRIGGER_API_KEY: `${first},${other}` }).triggerApiKeys).toEqual([
      first,
      other,
    ]);
    for (const key of ['k'.repeat(31), `${first},short`])
      expect(problemsOf({ NOTIFICATION_TRIGGER_API_KEY: key })).toHaveLength(1);
  });

  it('002-P2-09 `PLATFORM_BASE_URL`: required (for unsubscribe links)', () => {
    // 8.26: where nothing leaves this machine nothing is required, and links lead to it.
    expect(problemsOf({})).toEqual([]);
    const { PLATFORM_BASE_URL: _, ...without } = real;
    expect(problemsOf(without)).toEqual([expect.stringContaining('needs PLATFORM_BASE_URL')]);
    expect(read(real).platformBaseUrl).toBe(linkSettings.PLATFORM_BASE_URL);
    expect(problemsOf({ ...real, PLATFORM_BASE_URL: 'mail.example.org' })).toHaveLength(1);
  });

  it('002-P2-10 `PROCESS_ROLE`: optional, `api`, `worker` or `both`, default `both`', () => {
    expect(read({}).role).toBe('both');
    for (const role of ['api', 'worker', 'both']) expect(read({ PROCESS_ROLE: role }).role).toBe(role);
    expect(problemsOf({ PROCESS_ROLE: 'sender' })).toEqual([expect.stringContaining('PROCESS_ROLE')]);
  });
});
