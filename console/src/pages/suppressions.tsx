import { useState } from 'react';
import { everySource, suppressionReasonNames } from '../../../src/domain/suppression.ts';
import { queryOf } from '../api.ts';
import { Heading } from '../parts/heading.tsx';
import { Link } from '../parts/link.tsx';
import { Choice, SearchBar } from '../parts/search-bar.tsx';
import { Broken, Empty, Loading } from '../parts/shapes.tsx';
import { AddSuppression, LiftSuppression } from '../parts/suppression-dialogs.tsx';
import { SuppressionTable } from '../parts/suppression-table.tsx';
import { go, usePlace } from '../place.ts';
import { type Suppression, type SuppressionPage, searchedFor } from '../suppressions.ts';
import { useAsked } from '../use-asked.ts';
import { useWords } from '../words/words.ts';
import '../lists.css';

const filters = ['q', 'as', 'reason', 'scope', 'withLifted'] as const;
const places = ['below', 'after', 'above'] as const;

interface SuppressionsParts {
  mayChange: boolean;
  sources: readonly string[];
}

/** Who must not be mailed: found, put on the list, lifted, brought from elsewhere and taken along. */
export function SuppressionsPage({ mayChange, sources }: SuppressionsParts) {
  const { suppressions: words, deliveries } = useWords();
  const { query } = usePlace();
  const said = Object.fromEntries(filters.map((name) => [name, query.get(name) ?? '']));
  const place = Object.fromEntries(places.map((name) => [name, query.get(name) ?? '']));
  const { q = '', as = '', reason = '', scope = '', withLifted = '' } = said;
  const searched = searchedFor(q, as === 'beginning');
  const [page, again] = useAsked<SuppressionPage>(
    `/api/v1/suppressions${queryOf({ ...searched, reason, scope, withLifted, ...place })}`,
  );
  const [dialog, setDialog] = useState<'add' | Suppression>();
  const [done, setDone] = useState('');
  const show = (changes: Record<string, string>) => go(`/suppressions${queryOf({ ...said, ...changes })}`);
  const finish = (sentence: string) => {
    setDone(sentence);
    again();
  };
  const isFiltered = Object.values(said).some((value) => value !== '');
  return (
    <>
      <Heading>{words.title}</Heading>
      <p>{words.lead}</p>
      <SearchBar label={words.search} sought={q} seek={(text) => show({ q: text, as: '' })}>
        <Choice
          label={words.reason}
          chosen={reason}
          options={suppressionReasonNames}
          wordOf={(name) => words.reasons[name]}
          choose={(name) => show({ reason: name })}
        />
        <Choice
          label={words.scope}
          chosen={scope}
          options={[...new Set([everySource, ...sources, ...(scope === '' ? [] : [scope])])]}
          wordOf={(name) => (name === everySource ? words.everything : name)}
          choose={(name) => show({ scope: name })}
        />
        <label className="check">
          <input
            type="checkbox"
            checked={withLifted === 'true'}
            onChange={({ target }) => show({ withLifted: target.checked ? 'true' : '' })}
          />
          {words.withLifted}
        </label>
      </SearchBar>
      <div className="row">
        {mayChange && (
          <button type="button" onClick={() => setDialog('add')}>
            {words.add}
          </button>
        )}
        {mayChange && (
          <Link className="button" to="/suppressions/import">
            {words.import}
          </Link>
        )}
        <a
          className="button"
          href={`/api/v1/suppressions/export${queryOf({ withLifted })}`}
          download="suppressions.csv"
        >
          {words.export}
        </a>
      </div>
      {done !== '' && (
        <p className="notice done" role="status">
          {done}
        </p>
      )}
      {page.state === 'waiting' && <Loading />}
      {page.state === 'broken' && <Broken problem={page.problem} again={again} />}
      {page.state === 'there' && page.value.suppressions.length === 0 && (
        <Empty>
          {page.value.next
            ? deliveries.scanned
            : 'address' in searched
              ? words.emptyExact
              : isFiltered
                ? words.emptyFiltered
                : words.empty}
        </Empty>
      )}
      {page.state === 'there' && page.value.suppressions.length > 0 && (
        <SuppressionTable suppressions={page.value.suppressions} {...(mayChange && { lift: setDialog })} />
      )}
      <p className="row paging">
        {'address' in searched && (
          <Link to={`/suppressions${queryOf({ ...said, as: 'beginning' })}`}>{words.beginning}</Link>
        )}
        {Object.values(place).some((value) => value !== '') && (
          <Link to={`/suppressions${queryOf(said)}`}>{words.first}</Link>
        )}
        {page.state === 'there' && page.value.next && (
          <Link to={`/suppressions${queryOf({ ...said, ...page.value.next })}`}>{words.more}</Link>
        )}
      </p>
      {dialog === 'add' && (
        <AddSuppression sources={sources} done={finish} close={() => setDialog(undefined)} />
      )}
      {dialog !== undefined && dialog !== 'add' && (
        <LiftSuppression line={dialog} done={finish} close={() => setDialog(undefined)} />
      )}
    </>
  );
}
