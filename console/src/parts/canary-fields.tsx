import type { CanaryWish } from '../runs.ts';
import { useWords } from '../words/words.ts';

/** Whom to mail first, and what may become of those mails before the others follow. */
interface CanaryParts {
  wish: CanaryWish;
  change(wish: CanaryWish): void;
  /** A plan that was made with one keeps it: its numbers can be changed. */
  isFixed?: boolean;
}

export function CanaryFields({ wish, change, isFixed = false }: CanaryParts) {
  const { runs } = useWords();
  const number = (
    name: 'size' | 'bouncesMax' | 'waitMinutes',
    title: string,
    [min, max]: [number, number],
  ) => (
    <label>
      {title}
      <input
        type="number"
        min={min}
        max={max}
        step={name === 'waitMinutes' ? 'any' : 1}
        required
        value={wish[name]}
        onChange={({ target }) => change({ ...wish, [name]: target.value })}
      />
    </label>
  );
  return (
    <fieldset>
      <legend>{runs.canary}</legend>
      {isFixed ? (
        <p className="muted">{runs.canaryHelp}</p>
      ) : (
        <label className="check">
          <input
            type="checkbox"
            checked={wish.isWanted}
            onChange={({ target }) => change({ ...wish, isWanted: target.checked })}
          />
          {runs.canaryHelp}
        </label>
      )}
      {wish.isWanted && (
        <div className="fields">
          {number('size', runs.size, [1, 10_000])}
          {number('bouncesMax', runs.bouncesMax, [0, 10_000])}
          {number('waitMinutes', runs.wait, [0, 10_080])}
        </div>
      )}
    </fieldset>
  );
}
