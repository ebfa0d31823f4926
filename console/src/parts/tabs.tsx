import type { KeyboardEvent, ReactNode } from 'react';

/** One of several views of a thing; the arrows go from one to the next, as everywhere. */
interface TabsParts<Name extends string> {
  label: string;
  titles: readonly (readonly [Name, string])[];
  chosen: Name;
  choose(name: Name): void;
  children: ReactNode;
}

export function Tabs<Name extends string>({ label, titles, chosen, choose, children }: TabsParts<Name>) {
  const move = (event: KeyboardEvent<HTMLDivElement>) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = titles.findIndex(([name]) => name === chosen);
    const [next] = titles[(at + step + titles.length) % titles.length] ?? [];
    if (next === undefined) return;
    choose(next);
    event.currentTarget.querySelector<HTMLElement>(`#tab-${next}`)?.focus();
  };
  return (
    <>
      <div
        className="row"
        role="tablist"
        aria-label={label}
        onKeyDown={move}
        style={{ margin: '16px 0 8px' }}
      >
        {titles.map(([name, title]) => (
          <button
            type="button"
            role="tab"
            key={name}
            id={`tab-${name}`}
            aria-selected={chosen === name}
            aria-controls="tab-panel"
            tabIndex={chosen === name ? 0 : -1}
            className={chosen === name ? 'main' : ''}
            onClick={() => choose(name)}
          >
            {title}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="tab-panel" aria-labelledby={`tab-${chosen}`}>
        {children}
      </div>
    </>
  );
}
