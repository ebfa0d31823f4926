import { Pool } from 'undici';

/** The POST of every peer: the engine's own HTTP client with as many connections, which is the fastest that there is. */
export function createPost({ providerUrl, connections }) {
  const pool = new Pool(providerUrl, { connections, pipelining: 1 });
  return {
    /** Resolves to the provider's id. */
    async post({ key, body }) {
      const answer = await pool.request({
        method: 'POST',
        path: '/emails',
        headers: {
          authorization: 'Bearer re_bench',
          'idempotency-key': key,
          'content-type': 'application/json',
        },
        body,
      });
      const { id } = await answer.body.json();
      if (answer.statusCode !== 200 || !id) throw new Error(`the provider answered ${answer.statusCode}`);
      return id;
    },
    close: () => pool.close(),
  };
}
