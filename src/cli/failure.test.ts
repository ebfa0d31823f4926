import { Command } from 'commander';
import { expect, test } from 'vitest';
import { Refusal } from '../std/refusal.ts';
import { complain } from './failure.ts';
import type { Terminal } from './terminal.ts';

async function toldOf(error: unknown, ...argv: string[]): Promise<string[]> {
  const told: string[] = [];
  const terminal = { complain: (...lines: string[]) => void told.push(...lines) } as unknown as Terminal;
  expect(await complain(error, { terminal, program: new Command(), argv })).toBe(2);
  return told;
}

const problems = ['title is missing.', 'url is missing.', 'x is \u001b[2J.'].map((problem) => ({ problem }));
const refusal = new Refusal('invalid_request', 'title is missing. And 9 more: see details.', { problems });

test('what an API has in its details has lines of its own, and what is in none is counted', async () => {
  expect(await toldOf(refusal)).toEqual([
    'title is missing.',
    'url is missing.',
    'x is \\u001b[2J.',
    'And 7 more.',
  ]);
});

test('a program gets the sentence and the details', async () => {
  const [line = '', ...others] = await toldOf(refusal, '--json');
  expect(others).toEqual([]);
  expect(JSON.parse(line)).toEqual({ error: refusal.message, code: refusal.code, details: { problems } });
});

test('a sentence that says all stays as it is', async () => {
  const said = new Refusal('invalid_address', 'One.\nTwo.', { problems: ['One.', 'Two.'] });
  expect(await toldOf(said)).toEqual(['One.', 'Two.']);
});
