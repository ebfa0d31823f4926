import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { differences } from './differences.ts';
import { type Clients, clientsOf, type Question, questions } from './questions.ts';
import { type OneResend, type ResendName, resends } from './two-resends.ts';

/**
 * The same questions to two Resends, of which one is not by us. Where they agree, our fake is no invention of ours; where they
 * do not, the difference is written down with its reason.
 */
const all = Object.entries(questions) as [keyof typeof questions, Question][];

describe.each(Object.entries(resends) as [ResendName, () => Promise<OneResend>][])('%s', (name, start) => {
  let resend: OneResend;
  let clients: Clients;
  beforeAll(async () => {
    resend = await start();
    clients = clientsOf(resend.url);
  });
  afterAll(async () => {
    await clients.close();
    await resend.close();
  });

  it.each(all)('%s', async (title, { ask, answer }) => {
    const difference = differences[title];
    expect(await ask(clients)).toEqual(difference ? difference[name] : answer);
  });
});

test('every question has one answer, or stands among the differences', () => {
  for (const [title, question] of all) {
    expect([title, 'answer' in question]).toEqual([title, differences[title] === undefined]);
  }
});

test('every difference is one', () => {
  for (const [title, { fake, emulate }] of Object.entries(differences))
    expect(fake, title).not.toEqual(emulate);
});
