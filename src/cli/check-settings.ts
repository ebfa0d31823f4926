import { statSync } from 'node:fs';
import type { Setting } from '../config.ts';
import { providers, realProviders } from '../domain/providers.ts';
import { type Config, variables } from '../settings.ts';
import { type Finding, note, ok, problem } from './finding.ts';
import { printable } from './printable.ts';
import { withoutCredentials } from './redact.ts';

/** What is a sample and what is real: a demonstration that is taken for the real thing tells nobody anything. */
export function checkSettings({ provider, from, environment }: Config): Finding[] {
  const isProduction = /^prod/i.test(environment);
  const isDefaultSender = from === variables.from.default;
  if (provider === 'capture') {
    const sentence = `Sample: MAIL_PROVIDER is capture, ${providers.capture.means}.`;
    const cure = `To reach people, set ${realProviders}.`;
    return [
      isProduction ? problem(`${sentence} TIDINGS_ENV is ${environment}.`, cure) : note(sentence, cure),
      ...(isDefaultSender ? [note(`Sample: the sender is ${printable(from)}.`, senderCure)] : []),
    ];
  }
  return [
    ok(`Real: MAIL_PROVIDER is ${provider}, ${providers[provider].means}; TIDINGS_ENV is ${environment}.`),
    isDefaultSender
      ? problem(`Sample: the sender is ${printable(from)}, which is not yours.`, senderCure)
      : ok(`Real: the sender is ${printable(from)}.`),
  ];
}

const senderCure = 'Set EMAIL_FROM_ADDRESS to a sender of yours.';

/** The shell makes it readable to all, and nobody notices. */
export function envFileFindings(): Finding[] {
  const { mode = 0 } = statSync('.env', { throwIfNoEntry: false }) ?? {};
  if (process.platform === 'win32' || (mode & 0o044) === 0) return [];
  const sentence = 'Other users of this machine may read .env, with the keys and passwords in it.';
  return [note(sentence, 'chmod 600 .env')];
}

/** Fit for a screen and for a screenshot of it: no secret, and no password in an address. */
export function settingsShown(settings: readonly Setting[]) {
  return settings.map(({ name, text, isSecret, isSet, from }) => ({
    name,
    value: isSecret ? (isSet ? '(set, not shown)' : '') : withoutCredentials(text),
    from,
    isDefault: from === 'default',
  }));
}
