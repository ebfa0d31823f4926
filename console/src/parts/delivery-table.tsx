import type { Delivery } from '../deliveries.ts';
import { go } from '../place.ts';
import { useWords } from '../words/words.ts';
import { Link } from './link.tsx';
import { moveByKeys } from './row-keys.ts';
import { Address, Chip, When } from './shapes.tsx';
import './table.css';

/** One line a delivery, who and what first; arrows move between lines, Enter opens, and the space bar chooses where many can be chosen. */
interface TableParts {
  deliveries: readonly Delivery[];
  choice?: { chosen: ReadonlySet<number>; toggle(seq: number): void; all(): void };
}

export function DeliveryTable({ deliveries, choice }: TableParts) {
  const { deliveries: words, work, sources, number } = useWords();
  const open = (index: number) => {
    const seq = deliveries[index]?.seq;
    if (seq !== undefined) go(`/deliveries/${seq}`);
  };
  const isAll = choice !== undefined && deliveries.every(({ seq }) => choice.chosen.has(seq));
  return (
    <table className="list deliveries">
      <thead>
        <tr>
          {choice && (
            <th scope="col" className="choice">
              <label className="choose-all">
                <input type="checkbox" aria-label={work.chooseAll} checked={isAll} onChange={choice.all} />
                <span aria-hidden="true">{work.chooseAll}</span>
              </label>
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
      <tbody onKeyDown={moveByKeys(open, (index) => choice?.toggle(deliveries[index]?.seq ?? 0))}>
        {deliveries.map((one) => (
          <tr key={one.seq} tabIndex={0}>
            {choice && (
              <td className="choice">
                <input
                  type="checkbox"
                  aria-label={`${work.choose} ${one.seq}`}
                  checked={choice.chosen.has(one.seq)}
                  onChange={() => choice.toggle(one.seq)}
                />
              </td>
            )}
            <td className="telling">
              <Link to={`/deliveries/${one.seq}`}>
                <Address text={one.to ?? one.recipient} />
              </Link>
              <div className="muted">{sources.occasion(one.source, one.occasion)}</div>
              {one.lastError && <div className="muted">{one.lastError.code}</div>}
            </td>
            <td data-title={words.state}>
              <Chip status={one.status} />
            </td>
            <td data-title={words.when}>
              <When at={one.createdAt} />
            </td>
            <td data-title={words.attempts} className="number">
              {number(one.attempts)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
