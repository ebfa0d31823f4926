import { expect, test } from 'vitest';
import type { Status } from '../domain/status.ts';
import { accountOf } from './account.ts';

const row = (recipient: string, status: Status, sent_at: number | null = null, isWithLiving = false) => ({
  ...{ recipient, status, sent_at, isWithLiving },
});

test('while something is open nobody is said to be lost, and everybody is counted once', () => {
  const rows = [
    row('told@example.org', 'delivered', 1),
    // On the wire when the worker died: the mail is there, and the engine does not know.
    row('unheard@example.org', 'sending'),
    row('waits@example.org', 'pending'),
    row('left@example.org', 'skipped_unsubscribed'),
  ];
  const arrived = new Map([
    ['told@example.org', 1],
    ['unheard@example.org', 1],
  ]);
  const account = accountOf(rows, arrived);
  expect(account).toEqual({
    ...{ people: 4, told: 2, twice: 0, unheard: 1, underWay: 1, notToBeTold: 1, lost: null },
  });
  expect(account.told + account.underWay + account.notToBeTold).toBe(account.people);
});

test('with nothing open, who has no mail and was to have one is lost; nobody else is', () => {
  const rows = [row('told@example.org', 'sent', 1), row('gone@example.org', 'failed_permanent')];
  const arrived = new Map([['told@example.org', 2]]);
  expect(accountOf(rows, arrived)).toMatchObject({ people: 2, told: 1, twice: 1, underWay: 0, lost: 1 });
  expect(accountOf(rows.slice(0, 1), arrived)).toMatchObject({ told: 1, unheard: 0, lost: 0 });
});

test('what the worker that lives has on the wire is under way, and nothing that the dead one never heard', () => {
  const rows = [row('heard-soon@example.org', 'sending', null, true)];
  const account = accountOf(rows, new Map([['heard-soon@example.org', 1]]));
  expect(account).toMatchObject({ people: 1, told: 0, unheard: 0, underWay: 1, lost: null });
});

test('a loss that is known is told at once', () => {
  const rows = [row('waits@example.org', 'pending'), row('gone@example.org', 'failed_permanent')];
  expect(accountOf(rows, new Map())).toMatchObject({ underWay: 1, lost: 1 });
});
