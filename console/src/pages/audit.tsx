import { queryOf } from '../api.ts';
import { Heading } from '../parts/heading.tsx';
import { Link } from '../parts/link.tsx';
import { Broken, Empty, Loading, When } from '../parts/shapes.tsx';
import { Table } from '../parts/table.tsx';
import { usePlace } from '../place.ts';
import { useAsked } from '../use-asked.ts';
import { useWords } from '../words/words.ts';

interface Lines {
  lines: {
    seq: number;
    at: string;
    who: string;
    verb: string;
    details: string;
    reason: string | null;
    answer: string | null;
  }[];
  next: { below: number } | null;
}

export function AuditPage() {
  const { audit, deliveries } = useWords();
  const { query } = usePlace();
  const [page, again] = useAsked<Lines>(`/api/v1/audit${queryOf({ below: query.get('below') ?? '' })}`);
  return (
    <>
      <Heading>{audit.title}</Heading>
      <p>{audit.lead}</p>
      {page.state === 'waiting' && <Loading />}
      {page.state === 'broken' && <Broken problem={page.problem} again={again} />}
      {page.state === 'there' && page.value.lines.length === 0 && <Empty>{audit.empty}</Empty>}
      {page.state === 'there' && page.value.lines.length > 0 && (
        <Table
          title={audit.title}
          rows={page.value.lines}
          keyOf={({ seq }) => seq}
          columns={[
            { title: audit.who, cell: ({ who }) => who },
            {
              title: audit.what,
              cell: ({ verb, details }) => (
                <>
                  {verb}
                  {details !== '{}' && <div className="mono">{details}</div>}
                </>
              ),
            },
            { title: audit.why, cell: ({ reason }) => reason },
            { title: audit.when, cell: ({ at }) => <When at={at} /> },
            { title: audit.answer, cell: ({ answer }) => answer ?? audit.unanswered },
          ]}
        />
      )}
      {page.state === 'there' && page.value.next && (
        <Link to={`/audit${queryOf({ below: page.value.next.below })}`}>{deliveries.more}</Link>
      )}
    </>
  );
}
