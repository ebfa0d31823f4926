import type { RefusalCode } from './refusals.ts';

/**
 * A user's mistake: bad input, bad configuration, something that is not there. It has a stable code (`refusals.ts`) and a
 * sentence that says what to do; the HTTP layer answers it as a 4xx, the command line with exit code 2.
 * Everything else that is thrown is a bug or broken infrastructure.
 */
export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: RefusalCode, sentence: string, details?: Record<string, unknown>) {
    super(sentence);
    this.name = 'Refusal';
    this.code = code;
    this.details = details;
  }
}
