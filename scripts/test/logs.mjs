import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Whatever looks like one: the tests' own addresses and keys are all of these shapes. */
const secrets = {
  address: /[\w.+-]+@[\w-]+\.[\w.-]+/,
  'unsubscribe token': /unsubscribe\/[\w-]{44}/,
  key: /\b(?:re|whsec)_\w{4,}|Bearer \S+/,
};

/** Reads the logs of a whole run. Answers how many lines there were, and the first of each file that says too much. */
export function readLogs(folder) {
  const found = { lines: 0, problems: [] };
  for (const name of readdirSync(folder)) {
    const lines = readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean);
    found.lines += lines.length;
    for (const [kind, pattern] of Object.entries(secrets)) {
      const line = lines.find((each) => pattern.test(each));
      if (line) found.problems.push(`logs of the tests: an ${kind} in ${line.slice(0, 300)}`);
    }
  }
  return found;
}
