import { statusNames } from '../../../src/domain/status.ts';
import { queryOf } from '../api.ts';
import { type DeliveryPage, searchOf } from '../deliveries.ts';
import { DeliveryTable } from '../parts/delivery-table.tsx';
import { Heading } from '../parts/heading.tsx';
import { Link } from '../parts/link.tsx';
import { Choice, SearchBar } from '../parts/search-bar.tsx';
import { Broken, Empty, Loading } from '../parts/shapes.tsx';
import { go, usePlace } from '../place.ts';
import { useAsked } from '../use-asked.ts';
import { useWords } from '../words/words.ts';

export function DeliveriesPage({ sources }: { sources: readonly string[] }) {
  const { deliveries: words, sources: occasions } = useWords();
  const { query } = usePlace();
  const found = searchOf(query.get('q') ?? '', sources);
  const filter = found && 'filter' in found ? found.filter : {};
  const [status = '', source = '', below = '', occasion = ''] = ['status', 'source', 'below', 'occasion'].map(
    (name) => query.get(name) ?? '',
  );
  const [page, again] = useAsked<DeliveryPage>(
    `/api/v1/deliveries${queryOf({ status, source, occasion, below, ...filter })}`,
  );
  // A number is looked for as one, too: the newest below the next is that delivery, or there is none that fits the filters.
  const number = found && 'filter' in found && below === '' ? found.number : undefined;
  const [numbered] = useAsked<DeliveryPage>(
    number === undefined
      ? null
      : `/api/v1/deliveries${queryOf({ status, source, occasion, below: Number(number) + 1, limit: 1 })}`,
  );
  const hits = numbered.value?.deliveries.filter(({ seq }) => seq === Number(number)) ?? [];
  const isLooking = number !== undefined && numbered.state === 'waiting';
  const isFiltered = [status, source, occasion, query.get('q') ?? ''].some((value) => value !== '');

  const show = (changes: Record<string, string>) =>
    go(`/deliveries${queryOf({ q: query.get('q') ?? '', status, source, occasion, ...changes })}`);
  const search = (text: string) => {
    const wanted = searchOf(text, sources);
    if (wanted && 'reference' in wanted) go(`/deliveries/${encodeURIComponent(wanted.reference)}`);
    else show({ q: text, occasion: '' });
  };
  return (
    <>
      <Heading>{words.title}</Heading>
      <SearchBar label={words.search} sought={query.get('q') ?? ''} seek={search}>
        <Choice
          label={words.status}
          chosen={status}
          options={statusNames}
          choose={(name) => show({ status: name })}
        />
        <Choice
          label={words.source}
          chosen={source}
          options={sources}
          choose={(name) => show({ source: name })}
        />
      </SearchBar>
      {occasion !== '' && (
        <p>
          {occasions.ofOccasion(occasion)}{' '}
          <Link to={`/deliveries${queryOf({ status, source })}`}>{occasions.anyOccasion}</Link>
        </p>
      )}
      {found && 'filter' in found && found.section && (
        <p className="row">
          <Link to={`/seats${queryOf({ q: found.section })}`}>{words.section(found.section)}</Link>
        </p>
      )}
      {(page.state === 'waiting' || (page.state === 'there' && isLooking)) && <Loading />}
      {page.state === 'broken' && <Broken problem={page.problem} again={again} />}
      {page.state === 'there' && !isLooking && (
        <>
          {hits.length + page.value.deliveries.length > 0 && (
            <DeliveryTable
              deliveries={[...hits, ...page.value.deliveries.filter(({ seq }) => seq !== hits[0]?.seq)]}
            />
          )}
          {hits.length + page.value.deliveries.length === 0 && (
            <Empty>
              {page.value.next
                ? words.scanned
                : found && 'filter' in found
                  ? words.emptySought(
                      found.filter.address ? 'address' : found.number ? 'number' : 'beginning',
                    )
                  : isFiltered
                    ? words.emptyFiltered
                    : words.empty}
            </Empty>
          )}
          <p className="row" style={{ marginTop: 16 }}>
            {below !== '' && (
              <Link to={`/deliveries${queryOf({ q: query.get('q') ?? '', status, source, occasion })}`}>
                {words.newest}
              </Link>
            )}
            {page.value.next && (
              <Link
                to={`/deliveries${queryOf({ q: query.get('q') ?? '', status, source, occasion, below: page.value.next.below })}`}
              >
                {words.more}
              </Link>
            )}
          </p>
        </>
      )}
    </>
  );
}
