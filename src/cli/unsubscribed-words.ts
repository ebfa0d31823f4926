import { ago } from '../std/duration.ts';
import { scopeName } from './pause-words.ts';
import { shellWord } from './printable.ts';

/** That somebody left a source by the link in a mail, and how they come back. */
export function tellLeft(
  { source, at }: { source: string; at: number },
  address: string,
  now: number,
): string {
  const back = `npx tidings suppressions remove ${shellWord(address)} --unsubscribed-from ${shellWord(source)} --because "…"`;
  return `They left ${scopeName(source)} ${ago(now - at)}, by the link in a mail. If they ask to be back: ${back}`;
}
