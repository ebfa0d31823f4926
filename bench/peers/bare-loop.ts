import { readFileSync } from 'node:fs';
import { createBareLoop, type ReadyMail } from '../send/bare-loop.ts';
import type { Contender, ContenderOrder } from './contender.ts';

/** The control: it posts the same bodies to the same server over as many connections, and records nothing. */
export async function createContender(order: ContenderOrder): Promise<Contender> {
  const mails = JSON.parse(readFileSync(order.mailsFile, 'utf8')) as ReadyMail[];
  const loop = createBareLoop(order.providerUrl, mails, order.connections);
  return {
    fill: async () => {},
    run: loop.send,
    check: async () => ({ sent: 0, events: null, bodies: null, left: 0 }),
    close: loop.close,
  };
}
