import { expect, test } from 'vitest';
import type { Status } from '../../../domain/status.ts';
import { failuresOf } from './failures.ts';

let at = 0;
const told = (event: string, status: Status, detail: object = {}) => ({
  ...{ at: ++at, event, status, detail: JSON.stringify(detail) },
});
const refused = (code: string) =>
  told('refused_for_good', 'failed_permanent', { from: 'sending', error: { code } });
const requeued = () => told('requeued', 'pending');

test('first, last and how often, and how it ended', () => {
  at = 0;
  const story = [
    told('refused_for_now', 'failed_transient'),
    told('refused_for_now', 'failed_transient'),
    refused('policy'),
  ];
  expect(failuresOf(story)).toEqual({
    ...{ count: 3, firstAt: 1, lastAt: 3, hasArrived: false, isEscalated: false },
    ending: { event: 'refused_for_good', from: 'sending', error: { code: 'policy' } },
  });
});

test('nothing has gone wrong', () => {
  expect(failuresOf([])).toMatchObject({ count: 0, firstAt: null, ending: null, isEscalated: false });
});

test.each([
  ['the same again', [refused('policy'), requeued(), refused('policy')], true],
  ['the same a third time', [refused('a'), requeued(), refused('a'), requeued(), refused('a')], true],
  ['another error', [refused('policy'), requeued(), refused('mailbox_unknown')], false],
  [
    'the same, with setbacks between',
    [refused('a'), requeued(), told('refused_for_now', 'failed_transient'), refused('a')],
    true,
  ],
  ['put back, and not ended yet', [refused('policy'), requeued()], false],
  ['put back twice before it ended', [refused('a'), requeued(), requeued(), refused('a')], true],
  [
    'the same code of another kind',
    [refused('bounced'), requeued(), told('bounced_for_good', 'suppressed', { error: { code: 'bounced' } })],
    false,
  ],
  ['never put back', [refused('policy')], false],
  [
    'word about another mail',
    [
      refused('a'),
      requeued(),
      told('refused_for_good', 'failed_permanent', { ignored: 'contradicts', error: { code: 'a' } }),
    ],
    false,
  ],
])('%s', (_, story, isEscalated) => {
  expect(failuresOf(story).isEscalated).toBe(isEscalated);
});

test('a soft bounce that is tried again is a failure and no end', () => {
  expect(failuresOf([told('bounced_for_now', 'failed_transient')])).toMatchObject({ count: 1, ending: null });
  expect(failuresOf([told('bounced_for_now', 'failed_permanent')]).ending).not.toBeNull();
});

test('what has arrived has arrived', () => {
  expect(failuresOf([told('complained', 'suppressed')]).hasArrived).toBe(true);
  expect(failuresOf([told('confirmed', 'delivered'), refused('x')]).hasArrived).toBe(true);
});
