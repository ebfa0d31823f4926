import { Pool } from 'undici';
import type { Mail } from '../../src/domain/message.ts';

/** What the engine is measured against: the same bodies to the same server, over as many connections, and nothing else. */
export interface BareLoop {
  send(): Promise<void>;
  close(): Promise<void>;
}

/** A mail ready to be posted. */
export interface ReadyMail {
  key: string;
  body: string;
}

export function createBareLoop(url: string, requests: readonly ReadyMail[], connections: number): BareLoop {
  const pool = new Pool(url, { connections, pipelining: 1 });

  async function post({ key, body }: ReadyMail): Promise<void> {
    const headers = {
      authorization: 'Bearer re_bench',
      'idempotency-key': key,
      'content-type': 'application/json',
    };
    const answer = await pool.request({ method: 'POST', path: '/emails', headers, body });
    const { id } = (await answer.body.json()) as { id?: string };
    if (answer.statusCode !== 200 || !id) throw new Error(`the server answered ${answer.statusCode}`);
  }

  return {
    async send() {
      let next = 0;
      const postOneByOne = async () => {
        for (let request = requests[next++]; request; request = requests[next++]) await post(request);
      };
      await Promise.all(Array.from({ length: connections }, postOneByOne));
    },
    close: () => pool.close(),
  };
}

/** As Resend wants it. That it is what the engine posts is checked by the octets that the server counts. */
export function readyMail({ from, to, subject, html, text, headers, tags }: Mail): ReadyMail {
  const named = Object.entries(tags).map(([name, value]) => ({ name, value }));
  const body = JSON.stringify({ from, to: [to], subject, html, text, headers, tags: named });
  return { key: tags.delivery_id ?? '', body };
}
