import { type Decimal, parseDecimal } from './decimal.ts';

/**
 * JSON whose numbers stay what stood there: `JSON.parse` makes floats of them, and an amount of money is none. It takes what
 * `JSON.parse` takes and nothing else, but no more values and none deeper than it is told. What is wrong is an answer, with its line.
 */
export type ExactJson =
  | {
      value: unknown;
      /** On which line a list or an object of it begins, from 1. */
      lineOf(part: object): number;
    }
  | { problem: string; line: number };

/** A number as it was written. */
export class JsonNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Undefined where it has more digits than any amount. */
  get decimal(): Decimal | undefined {
    return parseDecimal(this.text);
  }

  get number(): number {
    return Number(this.text);
  }
}

interface JsonBounds {
  depthMax: number;
  valuesMax: number;
}

const defaultBounds: JsonBounds = { depthMax: 64, valuesMax: 2_000_000 };

export function parseExactJson(text: string, bounds: Partial<JsonBounds> = {}): ExactJson {
  const lines = new WeakMap<object, number>();
  const reader = createReader(text, { ...defaultBounds, ...bounds }, lines);
  try {
    const value = reader.value(0);
    reader.end();
    return { value, lineOf: (part) => lines.get(part) ?? 1 };
  } catch (error) {
    if (error instanceof NotJson) return { problem: error.message, line: reader.line() };
    throw error;
  }
}

/** Never leaves this file: the way out of a recursion. */
class NotJson extends Error {}

function createReader(text: string, { depthMax, valuesMax }: JsonBounds, lines: WeakMap<object, number>) {
  let at = 0;
  let line = 1;
  let values = 0;

  function blanks(): void {
    for (; ; at++) {
      const code = text.charCodeAt(at);
      if (code === 0x0a) line += 1;
      else if (code !== 0x20 && code !== 0x0d && code !== 0x09) return;
    }
  }

  function unexpected(): NotJson {
    if (at >= text.length) return new NotJson('It ends before it is complete.');
    return new NotJson(`${JSON.stringify(text.slice(at, at + 20))} cannot stand there.`);
  }

  /** Line breaks are none of its signs, so that nothing is to be counted here. */
  function string(): string {
    const start = at;
    let hasEscapes = false;
    for (at++; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === 0x22) {
        at += 1;
        return hasEscapes ? unescaped(text.slice(start, at)) : text.slice(start + 1, at - 1);
      }
      if (code < 0x20) throw new NotJson('A text holds a line break or another control character.');
      if (code === 0x5c) {
        hasEscapes = true;
        at += 1;
      }
    }
    throw unexpected();
  }

  function list(depth: number): unknown[] {
    const made: unknown[] = [];
    lines.set(made, line);
    at += 1;
    blanks();
    if (taken(']')) return made;
    do made.push(value(depth + 1));
    while (taken(','));
    if (!taken(']')) throw unexpected();
    return made;
  }

  function object(depth: number): Record<string, unknown> {
    const made: Record<string, unknown> = {};
    lines.set(made, line);
    at += 1;
    blanks();
    if (taken('}')) return made;
    do {
      blanks();
      if (text[at] !== '"') throw unexpected();
      const name = string();
      blanks();
      if (!taken(':')) throw unexpected();
      const member = value(depth + 1);
      // Set like any other, it would not be a member but the object's nature.
      if (name === '__proto__')
        Object.defineProperty(made, name, {
          value: member,
          enumerable: true,
          configurable: true,
          writable: true,
        });
      else made[name] = member;
    } while (taken(','));
    if (!taken('}')) throw unexpected();
    return made;
  }

  function taken(sign: string): boolean {
    if (text[at] !== sign) return false;
    at += 1;
    return true;
  }

  /** With the blanks around it. */
  function value(depth: number): unknown {
    blanks();
    if (depth > depthMax) throw new NotJson(`It is nested deeper than ${depthMax} times.`);
    values += 1;
    if (values > valuesMax) throw new NotJson(`It has more than ${valuesMax} values.`);
    const found = one(depth);
    blanks();
    return found;
  }

  function one(depth: number): unknown {
    switch (text[at]) {
      case '"':
        return string();
      case '[':
        return list(depth);
      case '{':
        return object(depth);
    }
    token.lastIndex = at;
    const [word] = token.exec(text) ?? [];
    if (word === undefined) throw unexpected();
    at += word.length;
    return word in words ? words[word as keyof typeof words] : new JsonNumber(word);
  }

  return {
    value,
    line: () => line,
    end() {
      if (at < text.length) throw unexpected();
    },
  };
}

const words = { true: true, false: false, null: null } as const;
const token = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

function unescaped(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    throw new NotJson(`A text holds an escape that is none: ${quoted.slice(0, 40)}`);
  }
}
