import { everySource } from '../../../src/domain/suppression.ts';
import { queryOf } from '../api.ts';
import type { Suppression } from '../suppressions.ts';
import { useWords } from '../words/words.ts';
import { Link } from './link.tsx';
import { marks, When } from './shapes.tsx';

interface TableParts {
  suppressions: readonly Suppression[];
  /** Left out for who only looks. */
  lift?(line: Suppression): void;
}

export function SuppressionTable({ suppressions, lift }: TableParts) {
  const { suppressions: words } = useWords();
  return (
    <div className="scroll">
      <table className="blocks">
        <thead>
          <tr>
            {[words.address, words.reason, words.scope, words.by, words.when].map((title) => (
              <th scope="col" key={title}>
                {title}
              </th>
            ))}
            {lift && <th scope="col">{words.does}</th>}
          </tr>
        </thead>
        <tbody>
          {suppressions.map((one) => (
            <tr key={one.seq}>
              <td>
                <Link to={`/deliveries${queryOf({ q: one.address })}`}>{one.address}</Link>
              </td>
              <td>
                <Reason line={one} />
              </td>
              <td data-title={words.scope}>
                {one.scope === everySource ? words.everything : one.scope}
                {one.exceptFor.length > 0 && (
                  <div className="muted">{words.except(one.exceptFor.join(', '))}</div>
                )}
              </td>
              <td data-title={words.by}>{one.by}</td>
              <td data-title={words.when}>
                <When at={one.at} />
              </td>
              {lift && (
                <td>
                  {one.liftedAt === null && (
                    <button type="button" aria-label={words.liftOf(one.address)} onClick={() => lift(one)}>
                      {words.lift}
                    </button>
                  )}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Reason({ line }: { line: Suppression }) {
  const { suppressions: words } = useWords();
  const { sign, className } = marks['stopped on purpose'];
  return (
    <>
      {line.liftedAt === null && (
        <span className={className} aria-hidden="true">
          {sign}{' '}
        </span>
      )}
      {words.reasons[line.reason]}
      {line.note !== null && <div className="muted">{line.note}</div>}
      {line.deliverySeq !== null && (
        <div>
          <Link to={`/deliveries/${line.deliverySeq}`}>{words.delivery(line.deliverySeq)}</Link>
        </div>
      )}
      {line.liftedAt !== null && (
        <div className="muted">
          {words.lifted(line.liftedBy ?? '', line.liftedBecause ?? '')} · <When at={line.liftedAt} />
        </div>
      )}
    </>
  );
}
