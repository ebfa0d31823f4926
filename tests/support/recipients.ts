import type { Consent } from '../../src/consent/consent.ts';
import { unsubscribePath } from '../../src/consent/unsubscribe.ts';
import type { Status } from '../../src/domain/status.ts';
import { intentNumber, type World } from './world.ts';

/** Somebody for whom mails wait, and the link that those mails carry. */
export interface Recipient {
  recipient: string;
  address: string;
  token: string;
  /** Where the link leads, on whatever host. */
  path: string;
  seqs: number[];
  statuses(): Promise<(Status | undefined)[]>;
  /** What is kept of their wish. */
  wish(): Promise<{ at: number | null; via: string | null } | undefined>;
  waitForMore(occasion: string): Promise<number>;
}

export async function recipientIn(
  world: World,
  { unsubscribe }: Consent,
  name: string,
  { waiting = 1, source = 'plain', address = `${name}@example.org` } = {},
): Promise<Recipient> {
  const recipient = `${name}-id`;
  const seqs: number[] = [];
  async function waitForMore(occasion: string): Promise<number> {
    const intent = intentNumber(1, { source, recipient, occasion, toEmail: address });
    const [made] = await world.outbox.enqueue([intent]);
    if (!made) throw new Error('not enqueued');
    seqs.push(made.seq);
    return made.seq;
  }
  for (let number = 1; number <= waiting; number++) await waitForMore(`occasion-${number}`);
  const [link = ''] = (await unsubscribe.linksFor([{ seq: 1, source, recipient }])).values();
  const token = link.slice(link.lastIndexOf('/') + 1);
  return {
    ...{ recipient, address, token, seqs, path: `${unsubscribePath}/${token}`, waitForMore },
    statuses: () => Promise.all(seqs.map(async (seq) => (await world.queries.find(String(seq)))?.status)),
    async wish() {
      const row = await world.db.read
        .selectFrom('unsubscribe_tokens')
        .select(['unsubscribed_at', 'unsubscribed_via'])
        .where('recipient', '=', recipient)
        .where('source', '=', source)
        .executeTakeFirst();
      return row && { at: row.unsubscribed_at, via: row.unsubscribed_via };
    },
  };
}

/** Looks like a token, and nobody gave it out. */
export const unknownToken = 'u'.repeat(44);
