import { createHash } from 'node:crypto';
import { isIndex } from '../term.ts';
import type { FeedFailure, ListAnswer } from './feed.ts';

/** What a body of `openSections.json` says, if it says anything. One wrong entry spoils it: then it is not known what the rest is. */
export function readListBody(octets: Uint8Array): ListAnswer {
  const parsed = parseJson(octets);
  if ('kind' in parsed) return parsed;
  const { value } = parsed;
  if (!Array.isArray(value)) {
    return unusable('not_a_list', `expected a list of indexes, got ${kindOf(value)}`);
  }
  const wrong = value.findIndex((entry) => typeof entry !== 'string' || !isIndex(entry));
  if (wrong >= 0) {
    const seen = JSON.stringify(value[wrong]).slice(0, excerptMax);
    return unusable(
      'not_a_list',
      `entry ${wrong} of ${value.length} is not an index of five digits: ${seen}`,
    );
  }
  const indexes = [...new Set(value as string[])].sort();
  return { kind: 'list', indexes, sourceHash: createHash('sha1').update(indexes.join(',')).digest('hex') };
}

const excerptMax = 60;

function parseJson(octets: Uint8Array): { value: unknown } | FeedFailure {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(octets);
  } catch {
    return unusable('not_json', 'the answer is not UTF-8');
  }
  try {
    return { value: JSON.parse(text) };
  } catch {
    const start = text.trimStart().slice(0, excerptMax);
    const ending = `it ends with ${JSON.stringify(text.slice(-20))}`;
    if (start === '') return unusable('not_json', 'the answer is empty');
    if (start.startsWith('<')) return unusable('not_json', `a page came instead: ${JSON.stringify(start)}`);
    return unusable('not_json', `the answer of ${octets.length} octets is not JSON: ${ending}`);
  }
}

const unusable = (code: string, message: string): FeedFailure => ({
  ...{ kind: 'failed', status: 200, code, message },
});

function kindOf(value: unknown): string {
  return value === null ? 'null' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
