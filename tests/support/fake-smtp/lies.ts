/** What the fake mail server does instead of what it should, step by step of the protocol. */
export interface Lies {
  /** Instead of the greeting. */
  connect?: Reply | 'drop' | 'hang' | { lateMs: number };
  auth?: Reply | 'drop' | 'hang';
  mail?: Reply | 'drop' | 'hang';
  rcpt?: Reply | 'drop' | 'hang';
  /** Instead of 354. */
  data?: Reply | 'drop' | 'hang';
  /** In the middle of the content, after so much of it; the mail is not accepted then. */
  content?: { afterOctets: number; does: Reply | 'drop' | 'stall' };
  /** Instead of the answer to the final dot: with the mail in the ledger or without. */
  afterDot?: Reply | 'drop' | 'hang' | 'accept_and_drop' | 'accept_and_hang' | { acceptLateMs: number };
}

/** Code, perhaps the code of RFC 3463, and words. */
export type Reply = `${4 | 5}${number} ${string}`;
