import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { explained, explanationJson, tellExplanation } from '../../src/cli/explanation.ts';
import { createPaint } from '../../src/cli/terminal.ts';
import { readSurroundings } from '../../src/dispatch/circumstances.ts';
import { deliveryKey } from '../../src/domain/delivery.ts';
import { type Status, statusNames } from '../../src/domain/status.ts';
import { suppressionOf } from '../support/consent.ts';
import { createFourteen, type Fourteen } from '../support/fourteen.ts';
import { type CommandLine, createCommandLine } from './command-line.ts';

let fourteen: Fourteen;
let shell: CommandLine;
beforeAll(async () => {
  fourteen = await createFourteen();
  shell = createCommandLine();
});
afterAll(async () => {
  await shell.close();
  await fourteen.world.close();
});

/** By the world's own clock, in which all this has just happened. */
async function explainedIn(status: Status) {
  const { world, seqs, account } = fourteen;
  const row = await world.find(seqs[status]);
  if (!row) throw new Error(`no delivery for ${status}`);
  const surroundings = await readSurroundings(world.db, world.clock, account);
  return explained(
    row,
    await world.queries.story(row.seq),
    await surroundings.around({ ...row, address: row.to_email }),
  );
}

async function tell(status: Status, columns?: number, isPainted = false): Promise<string> {
  const terminal = { paint: createPaint(isPainted), columns };
  return tellExplanation(await explainedIn(status), terminal).join('\n');
}

const uuid = '[0-9a-f-]{36}';

/** What an operator could say on the telephone, the evidence behind it, and what comes of it. */
const expected: Record<Status, (string | RegExp)[]> = {
  pending: [
    '  Not yet: it waits to be sent; it is due now.',
    'A worker takes it as soon as it can (due for 1 s).',
  ],
  claimed: [
    '  Not yet: a worker has it in hand, and nothing has left so far.',
    'If it does not come back, the sweep lets another one have it in 2 min.',
  ],
  sending: [
    "  ? We don't know yet: it is being handed to resend at this moment.",
    'the sweep takes over in 2 min, and resend is asked before anything is sent again.',
  ],
  sent: [
    '  Yes: resend accepted it 3 min ago. No word has come so far on whether it reached their mailbox.',
    new RegExp(`Resend accepted it as id-${uuid} \\(attempt 1, .*\\)\\. \\[the provider's answer\\]`),
    'Word may still come that it arrived, or bounced.',
    new RegExp(`In the log of resend it is id-${uuid}\\.`),
    'npx tidings deliveries show',
  ],
  delivered: [
    "  Yes: resend accepted it 3 min ago, and the recipient's mail server took it 2 s later.",
    "It reached the recipient's mail server. [webhook]",
    'Ask them to look among the unwanted mail.',
  ],
  failed_transient: [
    '  Not yet: resend refused it for now (try again later); next try in 3 s.',
    /Resend refused it for now \(attempt 1, .*\): try again later \(internal_error\); next in \d s\. \[the provider's answer\]/,
    'A worker tries again in 3 s; 1 attempt so far in this round.',
  ],
  reconciling: [
    "  ? We don't know yet: it was handed to resend, and no clear answer came (no answer within 10 s). That is looked into in 3 s.",
    /Z \? It was handed to resend \(attempt 1, .*We don't know yet whether it was accepted\./,
    'in ways from which no second mail can come',
  ],
  needs_review: [
    "  ? We don't know: it was handed to smtp, and no clear answer came (the connection dropped after the final dot). Nobody could find out what became of it; a person must decide.",
    'Z ? Nobody can find out whether it was accepted. A person must decide.',
    new RegExp(`Look for the key ${uuid} in the log of smtp`),
    /npx tidings deliveries resolve \d+ --as sent --because "…"/,
  ],
  failed_permanent: [
    '  No, and it will not come: resend refused it for good (The domain example.org is not verified).',
    'validation_error',
    /When the cause is mended, put it back:\n {6}npx tidings deliveries requeue \d+ --reason "…"/,
  ],
  suppressed: [
    "  No, and it will not come: resend accepted it, and the recipient's mail server turned it away for good (550 5.1.1 no such user).",
    'the address is not mailed again. [webhook]',
    'Ask them for another address, or take this one off the list',
  ],
  skipped_unsubscribed: [
    '  No, and it will not come: the recipient had unsubscribed before it was to leave.',
    'If they have subscribed again since, put it back:',
  ],
  skipped_no_email: [
    'to user-17: skipped_no_email',
    '  No, and it will not come: the source plain knows no address of this recipient.',
    'When the source knows their address, put it back:',
  ],
  skipped_ineligible: [
    '  No, and it will not come: when it was to leave, the source plain said not to send it.',
    'it is asked again:',
  ],
  expired: [
    '  No, and it will not come: it had become too late for it to be of use. It had to leave before 1 January 2026, 00:36 UTC.',
    'put back, it would end as expired again',
  ],
};

describe('explain, for each of the fourteen statuses', () => {
  test.each(statusNames)('%s', async (status) => {
    const { row } = await explainedIn(status);
    expect(row.status).toBe(status);
    const text = await tell(status);
    for (const phrase of expected[status]) {
      if (typeof phrase === 'string') expect(text).toContain(phrase);
      else expect(text).toMatch(phrase);
    }
    expect(text).toContain('The source plain asked for it');
    expect(text).toContain('What happens next');
    expect(text).not.toMatch(/undefined|null|NaN/);
  });

  test.each([80, 120])('on a screen of %i columns no prose is cut or too long', async (columns) => {
    for (const status of statusNames) {
      const lines = (await tell(status, columns)).split('\n');
      const long = lines.filter((line) => line.length > columns && !line.includes('npx tidings'));
      expect(long, status).toEqual([]);
      const flat = lines.map((line) => line.trim()).join(' ');
      for (const phrase of expected[status].filter((each) => typeof each === 'string')) {
        expect(flat).toContain(phrase.trim());
      }
    }
  });

  test('colour is added to words, and takes none away', async () => {
    for (const status of statusNames) {
      const painted = await tell(status, 80, true);
      expect(painted).toContain('\u001b[');
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the escapes are what is looked for.
      expect(painted.replace(/\u001b\[\d+m/g, '')).toBe(await tell(status, 80));
    }
  });

  test('for programs: the answer in one word, the evidence of each sentence', async () => {
    const json = explanationJson(await explainedIn('delivered'));
    expect(json).toMatchObject({ answer: 'yes', isDoubt: false, delivery: { status: 'delivered' } });
    expect(json.why.map(({ evidence }) => evidence)).toEqual([null, "the provider's answer", 'webhook']);
    expect(explanationJson(await explainedIn('needs_review'))).toMatchObject({
      answer: 'unknown',
      isDoubt: true,
    });
  });
});

describe('tidings deliveries explain', () => {
  const tidings = (...args: string[]) =>
    shell.run(['deliveries', 'explain', ...args], { env: { DATABASE_URL: fourteen.world.url } });
  const rowOf = async (status: Status) => {
    const row = await fourteen.world.find(fourteen.seqs[status]);
    if (!row) throw new Error(`no delivery for ${status}`);
    return row;
  };

  test('finds one by number, UUID, key and the provider’s message id', async () => {
    const row = await rowOf('delivered');
    for (const reference of [String(row.seq), row.id, deliveryKey(row), String(row.provider_message_id)]) {
      const { code, out } = await tidings(reference);
      expect(out).toMatch(new RegExp(`^Delivery ${row.seq} to ${row.to_email}: delivered\n`));
      expect(code).toBe(0);
    }
  });

  test('a key whose parts hold colons is found too', async () => {
    const { outbox } = fourteen.world;
    const intent = { source: 'plain', occasion: 'a:b:c', recipient: 'd:e', lane: 'normal' } as const;
    await outbox.enqueue([intent]);
    const { out } = await tidings('plain:a:b:c:d:e', '--json');
    expect(JSON.parse(out).delivery).toMatchObject({ occasion: 'a:b:c', recipient: 'd:e' });
  });

  test('an address: every delivery to it, newest first, a page at a time', async () => {
    const { outbox } = fourteen.world;
    const to = { toEmail: 'Cleo@example.org', recipient: 'cleo@example.org', lane: 'normal' } as const;
    for (const occasion of ['one', 'two', 'three'])
      await outbox.enqueue([{ source: 'plain', occasion, ...to }]);
    const { out, code } = await tidings('cleo@example.org', '--limit', '2');
    expect(code).toBe(0);
    expect(out).toMatch(
      /^The newest 2 deliveries to cleo@example\.org, newest first:\n +\d+ {2}plain: three\. Not yet: .*\n +\d+ {2}plain: two\. Not yet/,
    );
    // One story, of the newest; the others by their numbers.
    expect(out.match(/^Delivery \d+ to/gm)).toHaveLength(1);
    expect(out).toContain('The story of another one: npx tidings deliveries explain <its number>');
    const [, more = ''] = /More: npx tidings deliveries explain (.*)\n$/.exec(out) ?? [];
    const next = await tidings(...more.split(' '));
    expect(next.out).toMatch(/^Delivery \d+ to Cleo@example\.org: pending\nplain: one/);
    expect(next.out).not.toContain('More:');
    const heads = ['--limit 3', `--below ${Number(more.split(' ').at(-1)) + 1}`].map((words) =>
      tidings('cleo@example.org', ...words.split(' ')),
    );
    expect((await Promise.all(heads)).map((one) => one.out.split('\n')[0])).toEqual([
      '3 deliveries to cleo@example.org, newest first:',
      '2 earlier deliveries to cleo@example.org, newest first:',
    ]);
  });

  test('an address that nobody has asked for: what was looked for, how, and whether it is suppressed', async () => {
    const { out, code } = await tidings('nobody@example.org');
    expect(out).toMatch(
      /^None that is still known: no delivery to nobody@example\.org is on record\. Addresses are forgotten MAIL_RETENTION_DAYS after .*\nThe search is by exactly this address/,
    );
    expect(out).toContain('is not on the list of those that must not be mailed');
    expect(code).toBe(0);
    await fourteen.world.db.write
      .insertInto('suppressions')
      .values({ ...suppressionOf('gone@example.org'), reason: 'complained', delivery_seq: 4 })
      .execute();
    const gone = await tidings('gone@example.org');
    expect(gone.out).toMatch(
      /The address must not be mailed: the recipient reported a mail as spam \d+ d ago \(delivery 4\)\.\n$/,
    );
    expect(gone.out).not.toContain('is not on the list');
  });

  test('what is no address and nobody’s key is a mistake', async () => {
    const { code, err, out } = await tidings('no-such-thing');
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain('There is no delivery "no-such-thing".');
  });

  test('a pause is why it waits, and the way out of it is told', async () => {
    const env = { DATABASE_URL: fourteen.world.url };
    await shell.run(['pause', 'plain', '--reason', 'wrong text'], { env });
    const { out } = await tidings(String(fourteen.seqs.pending));
    expect(out).toMatch(/ {2}Not yet: the source plain is paused by \S+\./);
    expect(out).toMatch(
      /What it waits for\n {4}The source plain has been paused for \d+ m?s by \S+: wrong text\./,
    );
    expect(out).toContain('      npx tidings resume plain\n');
    const shown = await shell.run(['deliveries', 'show', String(fourteen.seqs.pending)], { env });
    expect(shown.out).toMatch(/\nNext The source plain has been paused for .* npx tidings resume plain\n/);
    await shell.run(['resume', 'plain'], { env });
    expect((await tidings(String(fourteen.seqs.pending))).out).toContain('no worker seems to be running');
  });
});
