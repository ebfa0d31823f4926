import { Pool } from 'undici';
import type { Mail } from '../../src/domain/message.ts';

/** What the engine is measured against: the same bodies to the same server, over as many connections, and nothing else. */
export interface BareLoop {
  send(): Promise<void>;
  close(): Promise<void>;
}

export function createBareLoop(url: string, mails: readonly Mail[], connections: number): BareLoop {
  const pool = new Pool(url, { connections, pipelining: 1 });
  const requests = mails.map((mail) => ({ key: mail.tags.delivery_id ?? '', body: bodyOf(mail) }));

  async function post({ key, body }: { key: string; body: string }): Promise<void> {
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
function bodyOf({ from, to, subject, html, text, headers, tags }: Mail): string {
  const named = Object.entries(tags).map(([name, value]) => ({ name, value }));
  return JSON.stringify({ from, to: [to], subject, html, text, headers, tags: named });
}
