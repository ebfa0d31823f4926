/**
 * The elements of a JSON list that is too large to be held, one at a time, from its octets as they come. Strict where
 * `json-records.ts` is lenient: nobody corrects what a machine has sent, so that the first thing that is wrong ends it, and a
 * list that was cut short never looks like a whole one. Whoever got no problem has read all of it.
 */
export type JsonElement = { value: unknown } | { problem: JsonProblem };

interface JsonProblem {
  code: 'not_a_list' | 'not_json' | 'too_long' | 'cut_short';
  message: string;
}

/** What the pieces throw goes to the caller. More than one element of the largest size is never held. */
export async function* readJsonElements(
  pieces: AsyncIterable<Uint8Array>,
  elementOctetsMax: number,
): AsyncGenerator<JsonElement> {
  const place: Place = { depth: 0, isInText: false, isEscaped: false };
  const held = createHeld();
  let [stage, elements] = ['before' as 'before' | 'inside' | 'after', 0];
  const broken = (code: JsonProblem['code'], message: string) => ({ problem: { code, message } });
  for await (const piece of pieces) {
    let at = 0;
    if (stage === 'before') {
      at = skipBlanks(piece, at);
      if (at === piece.length) continue;
      if (piece[at] !== opening) {
        return yield broken('not_a_list', `It begins with ${quoted(piece, at)}, which is no JSON list.`);
      }
      stage = 'inside';
      at += 1;
    }
    while (stage === 'inside' && at < piece.length) {
      const end = endOfElement(piece, at, place);
      if (held.octets() + end - at > elementOctetsMax) {
        const number = elements + 1;
        return yield broken('too_long', `Element ${number} is longer than ${elementOctetsMax} octets.`);
      }
      if (end === piece.length) {
        held.keep(piece.subarray(at));
        break;
      }
      const text = held.take(piece.subarray(at, end));
      const isLast = piece[end] === closing;
      at = end + 1;
      if (isLast) stage = 'after';
      if (isLast && elements === 0 && isBlank(text)) break;
      elements += 1;
      const parsed = parse(text);
      if (parsed === undefined || (!isLast && piece[end] !== comma)) {
        return yield broken('not_json', `Element ${elements} is no JSON.`);
      }
      yield parsed;
    }
    if (stage === 'after' && skipBlanks(piece, at) < piece.length) {
      return yield broken('not_json', `Something follows after the end of the list of ${elements}.`);
    }
  }
  if (stage !== 'after')
    yield broken('cut_short', `It ends after ${elements} elements, before the list does.`);
}

interface Place {
  depth: number;
  isInText: boolean;
  isEscaped: boolean;
}

const [quote, comma, backslash, opening, closing] = [0x22, 0x2c, 0x5c, 0x5b, 0x5d];
/** Brackets and braces differ by this bit alone, and no other octet becomes one of them by it. */
const braceBit = 0x20;
const [openingBrace, closingBrace] = [0x7b, 0x7d];

/**
 * Where the element ends that has begun: at a comma or a closing bracket outside of all others, or at the piece's own end. Octets
 * suffice: in UTF-8 none of these signs is a part of another.
 */
function endOfElement(piece: Uint8Array, from: number, place: Place): number {
  // Local while it runs: twenty million of them go through here.
  let { depth, isInText, isEscaped } = place;
  let at = from;
  for (; at < piece.length; at++) {
    const octet = piece[at] as number;
    if (isInText) {
      if (isEscaped) isEscaped = false;
      else if (octet === backslash) isEscaped = true;
      else if (octet === quote) isInText = false;
    } else if (octet === quote) isInText = true;
    else if (octet === comma) {
      if (depth === 0) break;
    } else if ((octet | braceBit) === openingBrace) depth += 1;
    else if ((octet | braceBit) === closingBrace) {
      if (depth === 0) break;
      depth -= 1;
    }
  }
  place.depth = depth;
  place.isInText = isInText;
  place.isEscaped = isEscaped;
  return at;
}

/** What has come of an element whose end has not. It grows by doubling: pieces may be single octets. */
function createHeld() {
  let buffer = Buffer.alloc(0);
  let length = 0;
  function keep(part: Uint8Array): void {
    if (length + part.length > buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(4096, 2 * (length + part.length)));
      buffer.copy(larger, 0, 0, length);
      buffer = larger;
    }
    buffer.set(part, length);
    length += part.length;
  }
  return {
    keep,
    octets: () => length,
    take(rest: Uint8Array): string {
      if (length === 0) return Buffer.from(rest.buffer, rest.byteOffset, rest.length).toString('utf8');
      keep(rest);
      const text = buffer.toString('utf8', 0, length);
      length = 0;
      return text;
    },
  };
}

function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function isBlank(text: string): boolean {
  return /^[ \t\r\n]*$/.test(text);
}

/** JSON's own four, and the mark of byte order, which some put before it. */
const blanks = [0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf];

function skipBlanks(piece: Uint8Array, from: number): number {
  let at = from;
  while (at < piece.length && blanks.includes(piece[at] as number)) at += 1;
  return at;
}

function quoted(piece: Uint8Array, at: number): string {
  return JSON.stringify(Buffer.from(piece.subarray(at, at + 40)).toString('utf8'));
}
