/**
 * A component that only puts things in their places: what it is given under the names of its places, be it a word, a link or other
 * elements, it neither looks into nor changes. So the markup around them is the same in every mail, and is written once. What is no
 * place (a distance, a language) is a template's own word and decides about the markup; so does whether a place has anything in it.
 */
export interface Framed {
  readonly places: ReadonlySet<string>;
  /** The markup, in parts between the places, by what decided about it; null where it cannot be had in parts. */
  readonly parts: Map<string, readonly string[] | null>;
}

export function frame<Props, Shown>(
  places: readonly (keyof Props & string)[],
  component: (props: Props) => Shown,
): ((props: Props) => Shown) & Framed {
  return Object.assign(component, { places: new Set(places), parts: new Map() });
}

/** Stands in a place while the markup around it is written. A frame that takes it for a text is found out: it is none. */
export class Place {
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  /** A sign that no text in a mail can hold, because NUL is refused everywhere. */
  markFor(kind: 'node' | 'text' | 'link'): string {
    return `\0${kind} ${this.#name}\0`;
  }

  static readonly marks = /\0(node|text|link) (\w+)\0/;

  [Symbol.toPrimitive](): never {
    throw new Error('A frame must not read what it puts in a place.');
  }
}
