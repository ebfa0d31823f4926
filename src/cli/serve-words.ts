import type { Setting } from '../config.ts';
import { providers } from '../domain/providers.ts';
import type { RunningProcess } from '../main.ts';
import { type Config, variables } from '../settings.ts';
import { termInRegistration } from '../sources/course-seats/term.ts';
import { withoutCredentials } from './redact.ts';
import { termName } from './seats-arguments.ts';
import type { Paint } from './terminal.ts';

/** What somebody reads who has just started a server: where it is, where mail goes, and what to try. Then it is quiet, on a screen. */
export interface Started {
  config: Config;
  running: Pick<RunningProcess, 'url' | 'hasSamples' | 'byHand'>;
  /** The database was made just now: whoever has mistyped its name should see that. */
  isNew: boolean;
  settings: readonly Setting[];
  isQuiet: boolean;
  now: number;
}

const roles = {
  both: 'answers requests and sends',
  api: 'answers requests; another process must send',
  worker: 'sends; answers /health and /ready only',
} as const satisfies Record<Config['role'], string>;

export const isProduction = ({ environment }: Pick<Config, 'environment'>) => /^prod/i.test(environment);

/** Who watches a screen is shown what goes wrong; what goes right is for logs, and for who asks for it by LOG_LEVEL. */
export function isQuietOnScreen(config: Pick<Config, 'environment'>, settings: readonly Setting[]): boolean {
  return !isProduction(config) && fromOf(variables.logLevel.name, settings) === 'default';
}

const fromOf = (name: string, settings: readonly Setting[]) =>
  settings.find((setting) => setting.name === name)?.from;

export function tellStarted(started: Started, paint: Paint): string[] {
  const { config, running, isNew, settings, isQuiet } = started;
  const { provider, role, jobsEnabled } = config;
  // What the environment of this terminal says is not known in another one; what .env says is.
  const isOwn = fromOf(variables.databaseUrl.name, settings) === 'environment';
  return [
    paint.bold('Tidings is running.'),
    role === 'worker' ? `  health    ${running.url}/health` : `  web       ${running.url}`,
    `  database  ${withoutCredentials(config.databaseUrl)}${isNew ? ' (new and empty)' : ''}`,
    ...(jobsEnabled ? [`  queues    ${queuesLine(config)}`] : []),
    `  mail      ${provider}: ${providers[provider].means}`,
    ...seatsLines(started),
    ...(role === 'both' && !jobsEnabled ? [] : [`  role      ${role}: ${roles[role]}`]),
    `  keys      ${keysLine(config)}`,
    ...openLines(started),
    ...(role === 'worker'
      ? []
      : [
          `Try in another terminal${isOwn ? ', with the same DATABASE_URL' : ''}: npx tidings send --to you@example.org --subject Hello --text "It works."`,
        ]),
    ...(isQuiet ? ['From here on only what goes wrong is shown; LOG_LEVEL=info shows all.'] : []),
    'Stop with Ctrl-C.',
  ];
}

/** What is polled: who has given a feed wants to see that it was understood, and of which terms. */
function seatsLines({ config: { socBaseUrl, socTerms }, running, now }: Started): string[] {
  if (running.byHand)
    return ['  seats     a sample campus, whose courses are made up; a real feed needs a new database'];
  if (socBaseUrl === '' || socBaseUrl === 'off') return [];
  const terms = socTerms.length > 0 ? socTerms : [termInRegistration(now)];
  return [`  seats     ${new URL(socBaseUrl).host}: ${terms.map(termName).join(', ')}`];
}

/** A worker has no pages. */
function openLines({ config: { role }, running: { url, hasSamples } }: Started): string[] {
  if (role === 'worker') return [];
  return hasSamples
    ? [`Open ${url}: sample people are being told of seats, budgets and reviews.`]
    : [`Open ${url}: the console shows who is told what, and what became of it.`];
}

/** Where none is, nothing is said: each process looks by itself, and needs nothing. */
function queuesLine({ redisUrl, bullmqPrefix }: Config): string {
  return `${withoutCredentials(redisUrl)}, as ${bullmqPrefix}; work is shared by all processes`;
}

function keysLine(config: Config): string {
  const { role, operatorApiKeys, readApiKeys, serviceApiKeys, triggerApiKeys } = config;
  if (role === 'worker') return 'none needed';
  const isOpen = [operatorApiKeys, readApiKeys, serviceApiKeys].every((keys) => keys.length === 0);
  if (!isOpen) return 'needed for the API and /metrics';
  return triggerApiKeys.length > 0
    ? 'one for runs of newsletters alone: whoever is on this machine may do everything else, and nobody else is answered'
    : 'none set: whoever is on this machine may do everything, and nobody else is answered';
}
