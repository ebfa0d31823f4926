import { connect } from 'node:net';
import { expect } from 'vitest';
import type { Consent } from '../../src/consent/consent.ts';
import type { DialectName } from '../../src/db/dialect.ts';
import { type Recipient, recipientIn } from '../support/recipients.ts';
import { type Answered, type Api, type ApiWorld, createApiWorld } from './api-world.ts';

/** The link in every mail, behind a real server, and people who were given one. */
export interface UnsubscribeWorld extends ApiWorld {
  api: Api;
  consent: Consent;
  /** Every one that a request here has carried. */
  tokens: string[];
  /** Who has a link that nobody had before, and a mail that waits. */
  somebody(more?: Parameters<typeof recipientIn>[3]): Promise<Recipient>;
  post(path: string, headers?: Record<string, string>, server?: Api): Promise<Answered>;
}

export const waiting = ['pending'];
export const stopped = ['skipped_unsubscribed'];

export async function createUnsubscribeWorld(dialect: DialectName): Promise<UnsubscribeWorld> {
  const world = await createApiWorld(dialect);
  const { consent } = world.parts.api;
  const api = await world.serve();
  const tokens: string[] = [];
  let people = 0;
  return {
    ...{ ...world, api, consent, tokens },
    async somebody(more) {
      people += 1;
      const recipient = await recipientIn(world, consent, `somebody-${people}`, more);
      tokens.push(recipient.token);
      return recipient;
    },
    post: (path, headers = {}, server = api) => server.ask('POST', path, { key: null, headers }),
  };
}

/** No line of the log has a token, at the most talkative level. That there were many is what makes this worth a look. */
export async function closeWithoutTokens(world: UnsubscribeWorld): Promise<void> {
  const { tokens, logged } = world;
  expect(tokens.length).toBeGreaterThan(20);
  expect(logged.length).toBeGreaterThan(tokens.length);
  expect(logged.filter((line) => tokens.some((token) => line.includes(token)))).toEqual([]);
  await world.close();
}

/** Sent as it stands, because a client tidies what it is given. */
export function raw(url: string, lines: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.write(lines.join('\r\n')));
    socket.setEncoding('utf8').on('data', (text: string) => {
      answer += text;
    });
    socket.on('end', () => resolve(answer)).on('error', reject);
  });
}
