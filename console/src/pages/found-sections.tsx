import { queryOf } from '../api.ts';
import { SectionName } from '../parts/section-shapes.tsx';
import { Broken, Empty, Loading } from '../parts/shapes.tsx';
import { Table } from '../parts/table.tsx';
import { seatsPath, sectionPath } from '../seats.ts';
import { useAsked } from '../use-asked.ts';
import { useWords } from '../words/words.ts';

interface Found {
  courses: { sections: FoundSection[] }[];
}
interface FoundSection {
  term: string;
  campus: string;
  index: string;
  number: string;
  courseString: string;
  title: string;
  status: 'Open' | 'Closed' | 'Wait' | 'Unknown';
  meetings: string;
  isGone: boolean;
}

/** A course has rarely so many; who looks for a common word is helped by the first of them as little as by all. */
const shownMost = 50;

/** Sections of the catalog, whether or not somebody watches them. */
export function FoundSections({ sought }: { sought: string }) {
  const { seats } = useWords();
  const [found, again] = useAsked<Found>(`${seatsPath}/courses${queryOf({ q: sought })}`);
  if (found.state === 'waiting') return <Loading />;
  if (found.state === 'broken') return <Broken problem={found.problem} again={again} />;
  const sections = found.value.courses.flatMap((course) => course.sections).slice(0, shownMost);
  if (sections.length === 0) return <Empty>{seats.noneFound}</Empty>;
  return (
    <section>
      <h2>{seats.found}</h2>
      <Table
        title={seats.found}
        rows={sections}
        keyOf={({ term, index }) => `${term} ${index}`}
        opens={sectionPath}
        columns={[
          { title: seats.section, cell: (section) => <SectionName section={section} /> },
          { title: seats.state, cell: ({ status }) => seats.statuses[status] },
          { title: seats.meetings, cell: ({ meetings }) => meetings },
        ]}
      />
    </section>
  );
}
