import type { RunDetails, RunItem } from '../../../src/client/run-shapes.ts';
import { queryOf } from '../api.ts';
import { go, usePlace } from '../place.ts';
import { runsPath } from '../runs.ts';
import { useAsked } from '../use-asked.ts';
import { useWords } from '../words/words.ts';
import { Link } from './link.tsx';
import { Broken, Chip, Empty, Loading } from './shapes.tsx';
import { Table } from './table.tsx';

const states = ['planned', 'collected', 'composed', 'left_out', 'excluded'] as const;

/** Whom a run is for and who not, with the reasons; page by page, of one state or of all. */
export function RunItems({ run }: { run: RunDetails }) {
  const { runs, number } = useWords();
  const { query } = usePlace();
  const [state = '', after = ''] = ['state', 'after'].map((name) => query.get(name) ?? '');
  // As the run goes on its list is another; what somebody reads stays until it does.
  const { done, items: counts } = run.progress;
  const [page, again] = useAsked<{ items: RunItem[]; next: { after: string } | null }>(
    `${runsPath}/${run.runId}/items${queryOf({ state, after, limit: 50 })}`,
    `${run.status} ${done} ${Object.values(counts).join(' ')}`,
  );
  const at = (more: Record<string, string>) => `/runs/${run.runId}${queryOf({ state, ...more })}`;
  return (
    <>
      <label className="muted">
        {runs.state}{' '}
        <select value={state} onChange={({ target }) => go(at({ state: target.value }), { isInPlace: true })}>
          <option value="">{runs.all}</option>
          {states.map((one) => (
            <option key={one} value={one}>
              {runs.states[one]} ({number(counts[one] ?? 0)})
            </option>
          ))}
        </select>
      </label>
      {page.state === 'waiting' && <Loading />}
      {page.state === 'broken' && <Broken problem={page.problem} again={again} />}
      {page.state === 'there' && page.value.items.length === 0 && <Empty>{runs.noItems}</Empty>}
      {page.state === 'there' && page.value.items.length > 0 && (
        <ItemTable title={runs.items} items={page.value.items} />
      )}
      {page.state === 'there' && (
        <p className="row">
          {after !== '' && <Link to={at({})}>{runs.first}</Link>}
          {page.value.next && <Link to={at(page.value.next)}>{runs.more}</Link>}
        </p>
      )}
    </>
  );
}

export function ItemTable({ title, items }: { title: string; items: readonly RunItem[] }) {
  const { runs } = useWords();
  return (
    <Table
      title={title}
      rows={items}
      keyOf={({ notificationId }) => notificationId}
      columns={[
        {
          title: runs.who,
          cell: ({ userId, deliverySeq }) =>
            deliverySeq === null ? userId : <Link to={`/deliveries/${deliverySeq}`}>{userId}</Link>,
        },
        { title: runs.state, cell: ({ state }) => runs.states[state as (typeof states)[number]] ?? state },
        {
          title: runs.why,
          cell: ({ reason, deliveryError }) => {
            const why = reason ?? deliveryError;
            return why === null ? null : (runs.reasons[why] ?? <code>{why}</code>);
          },
        },
        {
          title: runs.delivery,
          cell: ({ deliveryStatus }) => deliveryStatus && <Chip status={deliveryStatus} />,
        },
      ]}
    />
  );
}
