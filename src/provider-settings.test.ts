import { describe, expect, it } from 'vitest';
import { providerNames, providers } from './domain/providers.ts';
import { missingCredential, providerVariables, webhookSecretsOf } from './provider-settings.ts';

const names = Object.values(providerVariables).map(({ name }) => name);
const defaults = Object.fromEntries(
  Object.entries(providerVariables).map(([key, variable]) => {
    const read = variable.read(variable.default);
    return [key, 'value' in read ? read.value : undefined];
  }),
);

/** What is written of a provider in one place is true in the others. */
describe.each(providerNames)('%s', (provider) => {
  const { credential, webhook } = providers[provider];

  it('names settings that there are', () => {
    for (const name of [credential?.name, webhook?.secretName]) {
      if (name !== undefined) expect(names).toContain(name);
    }
  });

  it('cannot be chosen without what it needs, and needs nothing else', () => {
    const problems = missingCredential({ ...defaults, provider });
    expect(problems).toEqual(
      credential ? [expect.stringContaining(`MAIL_PROVIDER=${provider} needs ${credential.name}`)] : [],
    );
    const key =
      Object.entries(providerVariables).find(([, { name }]) => name === credential?.name)?.[0] ?? '';
    expect(missingCredential({ ...defaults, [key]: 'something', provider })).toEqual([]);
  });

  it('has secrets for its webhooks if somebody has to make one', () => {
    const secrets: Record<string, unknown> = webhookSecretsOf(
      defaults as unknown as Parameters<typeof webhookSecretsOf>[0],
    );
    expect(Object.hasOwn(secrets, provider)).toBe(webhook !== null);
  });
});

describe('the settings of Postmark', () => {
  const { postmarkMessageStream, postmarkServerToken, postmarkWebhookPasswords } = providerVariables;

  it('a stream and a token are what may stand in a path and in a header', () => {
    for (const wrong of ['', 'a/../b', 'a?b', ' a']) {
      expect(postmarkMessageStream.read(wrong)).toHaveProperty('mustBe');
    }
    expect(postmarkMessageStream.read('news-letters')).toEqual({ value: 'news-letters' });
    expect(postmarkServerToken.read('a token with spaces')).toHaveProperty('mustBe');
    expect(postmarkServerToken.read('')).toEqual({ value: '' });
  });

  it('a password is long, and of signs that a URL takes as they are', () => {
    const good = 'x'.repeat(32);
    expect(postmarkWebhookPasswords.read(`${good}, ${good}y`)).toEqual({ value: [good, `${good}y`] });
    expect(postmarkWebhookPasswords.read('')).toEqual({ value: [] });
    for (const wrong of ['x'.repeat(31), `${good}@host`, `${good}:`, `${good},`, `${good}%41`]) {
      expect(postmarkWebhookPasswords.read(wrong)).toHaveProperty('mustBe');
    }
  });
});
