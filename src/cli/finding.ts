import type { Refusal } from '../std/refusal.ts';

/** What `doctor` has to say about one thing: as it should be, good to know, or to be mended; with the cure. */
export interface Finding {
  mark: 'ok' | 'note' | 'problem';
  sentence: string;
  cure: string | null;
}

export const ok = (sentence: string): Finding => ({ mark: 'ok', sentence, cure: null });
export const note = (sentence: string, cure: string | null = null): Finding => ({
  mark: 'note',
  sentence,
  cure,
});
export const problem = (sentence: string, cure: string): Finding => ({ mark: 'problem', sentence, cure });

/** What `serve` would refuse to start with: its first sentence says what is wrong, and the rest what to do. */
export function refused({ message }: Refusal): Finding {
  const [sentence = '', ...cure] = message.split(/(?<=\.) /);
  return problem(sentence, cure.join(' '));
}
