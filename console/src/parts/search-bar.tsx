import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { useWords } from '../words/words.ts';

/** The bar above a list: what is looked for is typed and then sought, what is chosen beside it counts at once. */
interface SearchParts {
  label: string;
  /** What the list shows now. */
  sought: string;
  lengthMax?: number;
  seek(text: string): void;
  children?: ReactNode;
}

export function SearchBar({ label, sought, lengthMax = 320, seek, children }: SearchParts) {
  const { deliveries } = useWords();
  const [text, setText] = useState(sought);
  // Whoever goes back sees what they looked for then.
  useEffect(() => setText(sought), [sought]);
  const search = (event: FormEvent) => {
    event.preventDefault();
    seek(text.trim());
  };
  return (
    <form className="bar" onSubmit={search}>
      <label className="grow">
        {label}
        <input
          type="search"
          value={text}
          onChange={({ target }) => setText(target.value)}
          maxLength={lengthMax}
        />
      </label>
      {children}
      <button type="submit" className="main">
        {deliveries.find}
      </button>
    </form>
  );
}

interface ChoiceParts<Name extends string> {
  label: string;
  chosen: string;
  options: readonly Name[];
  /** What stands there instead of its name. */
  wordOf?(option: Name): string;
  choose(value: string): void;
}

/** One of several, or all of them. */
export function Choice<Name extends string>({ label, chosen, options, wordOf, choose }: ChoiceParts<Name>) {
  const { deliveries } = useWords();
  return (
    <label>
      {label}
      <select value={chosen} onChange={({ target }) => choose(target.value)}>
        <option value="">{deliveries.all}</option>
        {options.map((name) => (
          <option key={name} value={name}>
            {wordOf?.(name) ?? name}
          </option>
        ))}
      </select>
    </label>
  );
}
