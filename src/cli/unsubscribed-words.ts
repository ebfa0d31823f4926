import { undoWithinMs } from '../domain/suppression.ts';
import { ago } from '../std/duration.ts';
import { momentName } from '../std/moment.ts';
import { scopeName } from './pause-words.ts';
import { shellWord } from './printable.ts';

/** That somebody left a source, or `what` of it, by the link in a mail, until when that link takes it back, and how they come back later. */
export function tellLeft(
  { source, at }: { source: string; at: number },
  recipient: string,
  now: number,
  what = scopeName(source),
): string {
  const back = `npx tidings suppressions remove ${shellWord(recipient)} --unsubscribed-from ${shellWord(source)} --because "…"`;
  const undoUntil = at + undoWithinMs;
  const undo = now <= undoUntil ? ` They can take that back there until ${momentName(undoUntil)}.` : '';
  return `They left ${what} ${ago(now - at)}, by the link in a mail.${undo} If they ask to be back: ${back}`;
}
