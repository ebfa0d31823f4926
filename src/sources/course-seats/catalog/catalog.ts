import { sql } from 'kysely';
import type { SectionStatus } from '../../../db/seats-schema.ts';
import type { ListKey } from '../term.ts';
import { type IngestParts, ingestCatalog } from './ingest.ts';
import { readTerms, searchCatalog } from './search.ts';
import { readSections } from './section-details.ts';

/** The catalog: which sections there are, what they are called and when they meet. It is read from the feed and searched. */
export interface Catalog {
  /** Reads a campus's whole catalog; what is new or changed is written, and each change of a section's status is told. */
  ingest(order: IngestOrder): Promise<Ingested>;
  /** By code (`01:198:111`, `198:111`, an index) or by words of the title; best first. */
  search(question: CatalogQuestion): Promise<FoundCourse[]>;
  section(termId: string, indexNumber: string): Promise<SectionDetails | undefined>;
  /** The terms of which there is a catalog, newest first. */
  terms(): Promise<string[]>;
}

export interface IngestOrder extends ListKey {
  signal: AbortSignal;
  onProgress?: (progress: { courses: number; sections: number; octets: number }) => void;
}

export type Ingested =
  | {
      kind: 'ingested';
      courses: number;
      sections: number;
      /** New ones among them. */
      changed: number;
      gone: number;
      /** Of which the catalog says something else than the last time. */
      flips: number;
      /** Left out: they have no index, or one that was there already. */
      unusable: number;
    }
  | { kind: 'failed'; code: string; message: string; retryAfterMs?: number };

export interface CatalogQuestion {
  text: string;
  termId?: string;
  campusCode?: string;
  limit?: number;
}

export interface FoundCourse {
  courseId: number;
  termId: string;
  campusCode: string;
  courseString: string;
  title: string;
  sections: SectionDetails[];
}

export interface SectionDetails {
  sectionId: number;
  courseId: number;
  termId: string;
  campusCode: string;
  indexNumber: string;
  sectionNumber: string;
  courseString: string;
  subjectCode: string;
  courseTitle: string;
  subtitle: string | null;
  status: SectionStatus;
  meetingSummary: string;
  instructors: string | null;
  specialPermission: string | null;
  restrictions: string | null;
  crossListed: readonly { index: string; courseString: string; sectionNumber: string }[];
  notes: string | null;
  /** No longer in the catalog. */
  isGone: boolean;
}

export function createCatalog(parts: IngestParts): Catalog {
  const { db } = parts;
  return {
    ingest: (order) => ingestCatalog(parts, order),
    search: (question) => searchCatalog(db, question),
    async section(termId, indexNumber) {
      const which = sql`sections.term_id = ${termId} AND sections.index_number = ${indexNumber}`;
      const [section] = await readSections(db, which);
      return section;
    },
    terms: () => readTerms(db),
  };
}
