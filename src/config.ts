import { parseEnv } from 'node:util';
import { missingCredential } from './provider-settings.ts';
import { type Config, variables } from './settings.ts';
import { readEnvFile, unreadableLines } from './std/env-file.ts';
import { isLoopback } from './std/loopback.ts';
import { nearest } from './std/nearest.ts';
import { Refusal } from './std/refusal.ts';
import { keyLengthMin, type Variable } from './variable.ts';

/**
 * The environment, read once and frozen: the only reader of `process.env`. All problems are reported together, each
 * with what to do; values are never printed, they may be secrets.
 */
type Environment = Readonly<Record<string, string | undefined>>;

/** `.env` in the working folder, then the environment, which wins. */
export function readConfig(environment: Environment = process.env, envFile = '.env'): Config {
  const text = readEnvFile(envFile);
  const file = parseEnv(text);
  const problems = [
    ...unreadableLines(text, envFile),
    ...unknownInFile(file, envFile),
    ...misspelled(environment, file),
  ];
  const config: Record<string, unknown> = {};
  const isSet = ({ name }: { name: string }) => Boolean(environment[name] || file[name]);
  for (const [key, variable] of Object.entries(variables)) {
    // An empty variable is what deployment tools write for "not set".
    const value = environment[variable.name] || file[variable.name] || variable.default;
    const result = variable.read(value);
    if ('value' in result) config[key] = result.value;
    else problems.push(`${variable.name} must be ${result.mustBe}.`);
  }
  problems.push(...contradictions(config as Partial<Config>, isSet(variables.from)));
  if (problems.length > 0) throw new Refusal('invalid_configuration', problems.join('\n'), { problems });
  return Object.freeze(config as unknown as Config);
}

const names = Object.values(variables).map((variable) => variable.name);

/**
 * A line without its sign is read as a part of the next one's name. What stands there may be a secret, so it is named by its number alone:
 * `unreadableLines` has done so.
 */
function unknownInFile(file: Environment, envFile: string): string[] {
  return Object.keys(file)
    .filter((name) => /^[\w.-]+$/.test(name) && !names.includes(name))
    .map((name) => {
      const meant = nearest(name, names);
      return `${envFile} sets ${name}, which is not a setting of Tidings. ${meant ? `Did you mean ${meant}?` : 'All settings: docs/configuration.md.'}`;
    });
}

/**
 * The environment holds much that is not ours, so an unknown name is only a problem if it looks like one of ours that is
 * not set; short names (HOME is near HOST) are not compared.
 */
function misspelled(environment: Environment, file: Environment): string[] {
  const unset = names.filter((name) => name.length >= 8 && !environment[name] && !file[name]);
  return Object.keys(environment)
    .filter((name) => name.length >= 8 && !names.includes(name))
    .flatMap((name) => {
      const meant = nearest(name, unset);
      return meant ? [`${name} is set, but there is no such setting. Did you mean ${meant}?`] : [];
    });
}

function contradictions(config: Partial<Config>, isSenderSet: boolean): string[] {
  const problems: string[] = [];
  if (config.role === 'api' && config.databaseUrl === 'sqlite::memory:') {
    problems.push(
      'PROCESS_ROLE=api with DATABASE_URL=sqlite::memory: would never send: no worker can see that database. Use a file.',
    );
  }
  problems.push(...missingCredential(config));
  // The default is somebody's real domain: fine for an inbox that nothing leaves.
  if (!isSenderSet && config.provider !== undefined && config.provider !== 'capture') {
    problems.push(
      `MAIL_PROVIDER=${config.provider} needs EMAIL_FROM_ADDRESS: your own sender. The default is not yours to send from.`,
    );
  }
  if (config.jobsEnabled && config.redisUrl === '') {
    problems.push(
      'JOBS_ENABLED=true needs REDIS_URL, such as redis://localhost:6379. Set it, or leave JOBS_ENABLED at false: then no Redis is needed.',
    );
  }
  problems.push(...missingForPeople(config));
  const keys = [config.operatorApiKeys, config.readApiKeys, config.serviceApiKeys];
  // A worker answers /health and /ready only. One who has set a key that is none was told so already.
  const isOpen =
    keys.every((each) => each?.length === 0) && config.role !== undefined && config.role !== 'worker';
  if (isOpen && config.host !== undefined && !isLoopback(config.host)) {
    problems.push(
      `HOST lets other machines in, and without a key they could do everything. Set OPERATOR_API_KEY to at least ${keyLengthMin} random characters, or HOST to 127.0.0.1.`,
    );
  }
  const keysOfAllRoles = [...keys, config.triggerApiKeys].flatMap((each) => each ?? []);
  if (new Set(keysOfAllRoles).size < keysOfAllRoles.length) {
    problems.push(
      'The same key is in OPERATOR_API_KEY, READ_API_KEY, SERVICE_API_KEY and NOTIFICATION_TRIGGER_API_KEY more than once. Give each its own.',
    );
  }
  return problems;
}

/** What leaves this machine must have a way out that works, and that nobody can make up. */
function missingForPeople({ provider, platformBaseUrl, tokenSecrets }: Partial<Config>): string[] {
  if (provider === undefined || provider === 'capture') return [];
  const problems: string[] = [];
  if (platformBaseUrl === '') {
    problems.push(
      `MAIL_PROVIDER=${provider} needs PLATFORM_BASE_URL, where people reach this server: every mail carries a link to unsubscribe. Set it to something like https://mail.example.org.`,
    );
  } else if (platformBaseUrl?.startsWith('http:') && !isLoopback(new URL(platformBaseUrl).hostname)) {
    problems.push('PLATFORM_BASE_URL must begin with https://: mail programs unsubscribe over nothing else.');
  }
  if (tokenSecrets?.length === 0) {
    problems.push(
      `MAIL_PROVIDER=${provider} needs TOKEN_SECRET, which signs the links in mails. Set it to at least ${keyLengthMin} random characters (openssl rand -hex 32), and keep it.`,
    );
  }
  return problems;
}

/** A setting as it was written, and where: for `doctor`. */
export interface Setting {
  name: string;
  /** Empty for a secret. */
  text: string;
  isSecret: boolean;
  isSet: boolean;
  from: 'default' | '.env' | 'environment';
}

export function readSettings(environment: Environment = process.env, envFile = '.env'): Setting[] {
  const file = parseEnv(readEnvFile(envFile));
  return Object.values(variables).map(({ name, default: byDefault, ...variable }: Variable<unknown>) => {
    const isSecret = variable.isSecret === true;
    const text = environment[name] || file[name] || byDefault;
    const from = environment[name] ? 'environment' : file[name] ? '.env' : 'default';
    return { name, text: isSecret ? '' : text, isSecret, isSet: text !== '', from };
  });
}
