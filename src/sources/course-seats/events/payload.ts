import type { SectionStatus } from '../../../db/seats-schema.ts';
import type { EntrySection } from '../catalog/catalog-entry.ts';
import type { EventPayload } from '../event-payload.ts';

/** A section and its course as they stand at the moment of detection. */
export interface SeenSection extends Omit<EntrySection, 'status'> {
  section_id: number;
  campus_code: string;
  course_title: string;
  course_string: string;
  subject_code: string;
}

/** The whole of it. What a section does not have is null, so that whoever reads need not ask the catalog of another day. */
export interface WholePayload extends EventPayload {
  campus: string;
  sectionIndex: string;
  isResolved: boolean;
  subtitle: string | null;
  instructors: string | null;
  specialPermission: string | null;
  restrictions: string | null;
  /** The same seats under other courses, with what was believed of them then. */
  crossListed: readonly (Twin & { status: SectionStatus })[];
  notes: string | null;
}

export interface Twin {
  index: string;
  courseString: string;
  sectionNumber: string;
}

export function payloadOf(
  section: SeenSection,
  snapshotHash: string | null,
  statusOf: (indexNumber: string) => SectionStatus,
): WholePayload {
  return {
    courseTitle: section.course_title,
    courseString: section.course_string,
    subjectCode: section.subject_code,
    sectionNumber: section.section_number,
    sectionIndex: section.index_number,
    subtitle: section.subtitle,
    meetingSummary: section.meeting_summary,
    campus: section.campus_code,
    instructors: section.instructors,
    specialPermission: section.special_permission,
    restrictions: section.restrictions,
    crossListed: twinsOf(section).map((twin) => ({ ...twin, status: statusOf(twin.index) })),
    notes: section.notes,
    snapshotHash,
    isResolved: true,
  };
}

/** 8.13: an index that no catalog knows can still be registered for, so its watchers are told what can be said. */
export function standIn(indexNumber: string, campusCode: string, snapshotHash: string | null): WholePayload {
  return {
    ...{ courseTitle: `Section ${indexNumber}`, courseString: 'TBA', sectionNumber: 'TBA' },
    ...{ sectionIndex: indexNumber, meetingSummary: 'TBA', campus: campusCode },
    ...{ subtitle: null, instructors: null, specialPermission: null, restrictions: null },
    ...{ crossListed: [], notes: null, snapshotHash, isResolved: false },
  };
}

export function twinsOf({ cross_listed }: Pick<SeenSection, 'cross_listed'>): Twin[] {
  return cross_listed === null ? [] : (JSON.parse(cross_listed) as Twin[]);
}
