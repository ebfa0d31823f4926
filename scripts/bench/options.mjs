import { parseArgs } from 'node:util';

/**
 * What was asked for: one bench or all, and how much. A trial, with fewer rows or rounds than usual, is kept apart from what the page is
 * made of, and the page is written by a whole run, or when somebody says --write.
 */
export function readOptions(args, known) {
  const options = { rounds: { type: 'string' }, rows: { type: 'string' }, write: { type: 'boolean' } };
  let parsed;
  try {
    parsed = parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    return { problem: error.message };
  }
  const { values, positionals } = parsed;
  const [name] = positionals;
  if (positionals.length > 1 || (name !== undefined && !known.includes(name)))
    return { problem: `Say which, or none for all: npm run bench -- ${known.join(' | ')}` };
  const { rounds = process.env.ROUNDS, rows = process.env.ROWS, write = false } = values;
  const isTrial = Boolean(rounds || rows);
  const size = { ...(rounds && { ROUNDS: rounds }), ...(rows && { ROWS: rows }) };
  return { name, size, isTrial, isPage: write || (name === undefined && !isTrial) };
}
