import { get } from 'node:http';
import { urlOf } from '../std/url-of.ts';

/**
 * The Tidings that answers where the settings say it would, which may be one with another database: a command that works with the database itself
 * would tell and change another one, and nobody would notice. Whoever wants to listen there should be told that it is there already.
 */
export interface ServerThere {
  url: string;
  /** By which it tells its database from others; undefined of an older one. */
  database: string | undefined;
}

/** On this machine an answer takes a few milliseconds; nobody waits for a server that hangs. */
const answerWithinMs = 400;
const answerOctetsMax = 1_000;

export async function findServer({
  host,
  port,
}: {
  host: string;
  port: number;
}): Promise<ServerThere | undefined> {
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
