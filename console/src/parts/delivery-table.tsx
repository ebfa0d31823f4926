import type { Delivery } from '../deliveries.ts';
import { go } from '../place.ts';
import { useWords } from '../words/words.ts';
import { Link } from './link.tsx';
import { moveByKeys } from './row-keys.ts';
import { Chip, When } from './shapes.tsx';

/** One line a delivery, who and what first; arrows move between lines, Enter opens. */
interface TableParts {
  deliveries: readonly Delivery[];
  choice?: { chosen: ReadonlySet<number>; toggle(seq: number): void; all(): void };
}

export function DeliveryTable({ deliveries, choice }: TableParts) {
  const { deliveries: words, work } = useWords();
  const open = (index: number) => {
    const seq = deliveries[index]?.seq;
    if (seq !== undefined) go(`/deliveries/${seq}`);
  };
  const isAll = choice !== undefined && deliveries.every(({ seq }) => choice.chosen.has(seq));
  return (
    <div className="scroll">
      <table>
        <thead>
          <tr>
            {choice && (
              <th scope="col">
                <input type="checkbox" aria-label={work.chooseAll} checked={isAll} onChange={choice.all} />
              </th>
            )}
            <th scope="col">{words.who}</th>
            <th scope="col">{words.state}</th>
            <th scope="col">{words.when}</th>
            <th scope="col" className="number">
              {words.attempts}
            </th>
          </tr>
        </thead>
        <tbody onKeyDown={moveByKeys(open)}>
          {deliveries.map((one) => (
            <tr key={one.seq} tabIndex={0}>
              {choice && (
                <td>
                  <input
                    type="checkbox"
                    aria-label={`${work.choose} ${one.seq}`}
                    checked={choice.chosen.has(one.seq)}
                    onChange={() => choice.toggle(one.seq)}
                  />
                </td>
              )}
              <td>
                <Link to={`/deliveries/${one.seq}`}>{one.to ?? one.recipient}</Link>
                <div className="muted">
                  {one.source}: {one.occasion}
                </div>
                {one.lastError && <div className="muted">{one.lastError.code}</div>}
              </td>
              <td>
                <Chip status={one.status} />
              </td>
              <td>
                <When at={one.createdAt} />
              </td>
              <td className="number">{one.attempts}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
