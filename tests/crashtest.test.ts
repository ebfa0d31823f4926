import { describe, expect, it } from 'vitest';
import { checkAgainstPromises, compareBooks, type OutboxEntry } from '../simulation/crashtest/books.ts';
import { takeImages } from '../simulation/crashtest/images.ts';

/** The kills themselves wait for leases of two minutes: `npm run crashtest` is where they are. */
describe('the comparison at the end of a crash test', () => {
  const sent = (recipient: string): OutboxEntry => ({ recipient, status: 'sent', sent_at: 1 });

  it('finds nothing where each intent was accepted once and the outbox says so', () => {
    const asked = ['a', 'b'];
    const books = compareBooks(asked, [sent('a'), { ...sent('b'), status: 'delivered' }], ['b', 'a']);
    expect(books).toEqual({ accepted: 2, twice: 0, lost: 0, stuck: 0, wrong: [] });
  });

  it.each<[string, OutboxEntry[], string[], object]>([
    ['a mail that was accepted twice', [sent('a')], ['a', 'a'], { accepted: 1, twice: 1, lost: 0, stuck: 0 }],
    ['an intent that the outbox does not know', [], [], { accepted: 0, twice: 0, lost: 1, stuck: 0 }],
    ['a mail said to be sent that nobody has', [sent('a')], [], { accepted: 0, twice: 0, lost: 1, stuck: 0 }],
    [
      'a mail that was given up',
      [{ recipient: 'a', status: 'failed_permanent', sent_at: null }],
      [],
      { accepted: 0, twice: 0, lost: 1, stuck: 0 },
    ],
    [
      'a mail that was accepted, and the outbox has given it up',
      [{ recipient: 'a', status: 'failed_permanent', sent_at: null }],
      ['a'],
      { accepted: 1, twice: 0, lost: 1, stuck: 0 },
    ],
    [
      'a mail that is still on its way',
      [{ recipient: 'a', status: 'sending', sent_at: null }],
      ['a'],
      { accepted: 1, twice: 0, lost: 0, stuck: 1 },
    ],
    [
      'a mail that is left to a person',
      [{ recipient: 'a', status: 'needs_review', sent_at: null }],
      [],
      { accepted: 0, twice: 0, lost: 0, stuck: 1 },
    ],
    [
      'two deliveries of one intent',
      [sent('a'), sent('a')],
      ['a'],
      { accepted: 1, twice: 0, lost: 0, stuck: 0 },
    ],
    ['a mail that nobody asked for', [sent('a')], ['a', 'b'], { accepted: 1, twice: 0, lost: 0, stuck: 0 }],
    [
      'a delivery that nobody asked for',
      [sent('a'), sent('b')],
      ['a'],
      { accepted: 1, twice: 0, lost: 0, stuck: 0 },
    ],
  ])('notices %s', (_, outbox, accepted, counts) => {
    const { wrong, ...found } = compareBooks(['a'], outbox, accepted);
    expect(found).toEqual(counts);
    expect(wrong).toHaveLength(1);
  });

  it('holds no mail against a status that allows for it, and every mail against one that does not', () => {
    const rows = (status: OutboxEntry['status'], sent_at: number | null = null) => [
      { recipient: 'a', status, sent_at },
    ];
    for (const status of ['sending', 'reconciling', 'needs_review', 'sent', 'delivered'] as const) {
      expect(checkAgainstPromises(['a'], rows(status), ['a'])).toEqual([]);
    }
    expect(checkAgainstPromises([], rows('suppressed', 1), ['a'])).toEqual([]);
    for (const status of ['pending', 'claimed', 'failed_transient', 'expired', 'suppressed'] as const) {
      expect(checkAgainstPromises(['a'], rows(status), ['a'])).toEqual([
        `a has a mail, and the outbox says ${status}`,
      ]);
      expect(checkAgainstPromises(['a'], rows(status), [])).toEqual([]);
    }
    expect(checkAgainstPromises(['a'], [], [])).toEqual(['a was taken, and is not there']);
  });
});

describe('a SQLite database as a power failure leaves it', () => {
  it('has all that anybody was told of, and from it every mail is accepted once', async () => {
    const { wrong, ...found } = await takeImages({ images: 8, seed: 20 }, () => {});
    expect(wrong).toEqual([]);
    expect(found).toMatchObject({ images: 8, reopened: 32, goneOn: 1 });
    expect(found.accepted).toBeGreaterThan(20);
  });

  it('is found to lack what it must have when more of its log is lost than can be', async () => {
    const { wrong } = await takeImages({ images: 2, seed: 21, goneOn: 0, isTooMuchLost: true }, () => {});
    expect(wrong.join('\n')).toMatch(/log lost: person-\d+@example\.org was taken, and is not there/);
    expect(wrong.join('\n')).toMatch(
      /log lost: person-\d+@example\.org has a mail, and the outbox says (nothing|pending|claimed)/,
    );
  });
});
