import { get } from 'node:http';
import type { Config } from '../settings.ts';
import { urlOf } from '../std/url-of.ts';

/**
 * The server that answers where the settings say it would. A command works with the database itself; where the settings of its terminal are not those of
 * the server's, it would tell and change another one, and nobody would notice.
 */
export interface ServerThere {
  url: string;
  /** By which it tells its database from others; undefined of an older one. */
  database: string | undefined;
}

/** On this machine an answer takes a few milliseconds; a command does not wait for a server that hangs. */
const answerWithinMs = 400;
const answerOctetsMax = 1_000;

export async function findServer({
  host,
  port,
}: Pick<Config, 'host' | 'port'>): Promise<ServerThere | undefined> {
  if (port === 0) return undefined;
  const url = urlOf(host, port);
  const answer = await ask(`${url}/health`);
  return answer?.status === 'ok' ? { url, database: textOf(answer.database) } : undefined;
}

function ask(url: string): Promise<Record<string, unknown> | undefined> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false, timeout: answerWithinMs }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('error', () => resolve(undefined));
      response.on('data', (part: string) => {
        text += part;
        if (text.length > answerOctetsMax) response.destroy();
      });
      response.on('close', () => resolve(recordOf(text)));
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(undefined));
  });
}

function recordOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);

export const otherDatabase = ({ url }: ServerThere) =>
  `The server at ${url} works with another database than this command: give the command the server's DATABASE_URL and other settings too, or put them into .env, which both read.`;
