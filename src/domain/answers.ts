import { nameOf } from './hindrances.ts';

/**
 * Did they get it? One sentence that somebody can say on the telephone: yes, no, not yet, or that we don't know, and the
 * one reason that matters. It never says more than the evidence does: accepted is not delivered, and doubt is not no.
 */
export interface Verdict {
  answer: 'yes' | 'no' | 'not yet' | 'unknown';
  sentence: string;
}

export const yes = (sentence: string): Verdict => ({ answer: 'yes', sentence: `Yes: ${sentence}` });
export const no = (sentence: string): Verdict => ({
  answer: 'no',
  sentence: `No, and it will not come: ${sentence}`,
});
/** As yet: it is in the recipient's hand. */
export const noAsItStands = (sentence: string): Verdict => ({
  answer: 'no',
  sentence: `No, as it stands: ${sentence}`,
});
export const notYet = (sentence: string): Verdict => ({
  answer: 'not yet',
  sentence: `Not yet: ${sentence}`,
});
export const unknown = (sentence: string): Verdict => ({
  answer: 'unknown',
  sentence: `We don't know: ${sentence}`,
});
export const unknownYet = (sentence: string): Verdict => ({
  answer: 'unknown',
  sentence: `We don't know yet: ${sentence}`,
});

/** Whatever the inbox reports of a mail afterwards. It is there for whoever tries this out to see; to a program the answer is no, because nobody has got it. */
export const onlyInInbox = (when: string): Verdict => ({
  answer: 'no',
  sentence: `In the built-in inbox: it came there ${when}, and no real mail leaves this machine.`,
});

/** What it takes has reached nobody. */
export const isInbox = (account: string | null | undefined) => nameOf(account ?? null) === 'capture';
