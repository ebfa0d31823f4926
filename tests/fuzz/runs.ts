import fc from 'fast-check';

/**
 * How long to search. `npm test` takes seconds; TIDINGS_FUZZ_RUNS=100 searches a hundred times as long. What is found comes
 * with its seed and its path, and is small: `fc.assert(…, { seed, path })` shows it again.
 */
const times = Math.max(1, Number(process.env.TIDINGS_FUZZ_RUNS) || 1);

export const runs = (count: number) => ({ numRuns: Math.ceil(count * times) });

/** For a test: what takes seconds takes so many times longer, and longer still on a busy machine. */
export const patience = { timeout: 120_000 * times };

/** Signs that mean something to somebody on the way of a mail, and those that nobody sees. */
export const hostileSigns = [
  ...[
    '\r',
    '\n',
    '\r\n',
    '\0',
    '\t',
    '\x1b',
    '\x7f',
    '\u0085',
    '\u2028',
    '\u00ad',
    '\u200b',
    '\ufeff',
    '\u202e',
  ],
  ...[
    '"',
    "'",
    '\\',
    '<',
    '>',
    '(',
    ')',
    '[',
    ']',
    ',',
    ';',
    ':',
    '@',
    '＠',
    '%',
    '%0d%0a',
    '=?utf-8?q?=0A?=',
  ],
  ...[
    '\ud800',
    '\udc00',
    '😀',
    'é',
    'e\u0301',
    'İ',
    'ß',
    '。',
    '．',
    ' ',
    '\u00a0',
    '.',
    '-',
    '&',
    '`',
    '{{',
    '</',
  ],
] as const;

/** A text with some of them put into it, anywhere. */
export function spoilt(text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const put = fc.tuple(fc.nat(), fc.constantFrom(...hostileSigns));
  return fc.tuple(text, fc.array(put, { minLength: 1, maxLength: 3 })).map(([base, puts]) =>
    puts.reduce((made, [place, sign]) => {
      const at = place % (made.length + 1);
      return made.slice(0, at) + sign + made.slice(at);
    }, base),
  );
}
