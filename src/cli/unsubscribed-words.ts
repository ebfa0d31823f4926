import { ago } from '../std/duration.ts';
import { scopeName } from './pause-words.ts';
import { shellWord } from './printable.ts';

/** That somebody left a source, or `what` of it, by the link in a mail, and how they come back. */
export function tellLeft(
  { source, at }: { source: string; at: number },
  recipient: string,
  now: number,
  what = scopeName(source),
): string {
  const back = `npx tidings suppressions remove ${shellWord(recipient)} --unsubscribed-from ${shellWord(source)} --because "…"`;
  return `They left ${what} ${ago(now - at)}, by the link in a mail. If they ask to be back: ${back}`;
}
