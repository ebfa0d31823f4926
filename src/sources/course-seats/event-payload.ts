/**
 * What an open event carries from its detection on, so that a mail hours later says what was true then (000-43, 004-19). It is
 * channel-agnostic, and additive: a reader lets pass what it does not know and does without what is not there.
 */
export interface EventPayload {
  courseTitle?: string;
  courseString?: string;
  subjectCode?: string;
  sectionNumber?: string;
  meetingSummary?: string;
  /** Of the list in which it was seen; null where no list was (a catalog, an operator). */
  snapshotHash: string | null;
}

/** All texts that a payload holds, the sections that are the same seats, and whether the catalog knew the section. */
export interface ReadPayload {
  texts: Readonly<Record<string, string>>;
  twins: readonly { index: string; courseString: string; sectionNumber: string }[];
  isResolved: boolean;
}

/** What was written by another version, or by hand, is read as far as it can be. */
export function readPayload(json: string): ReadPayload {
  const given = objectOf(parsed(json));
  const twins = Array.isArray(given.crossListed) ? given.crossListed.map(objectOf).map(textsOf) : [];
  return {
    texts: textsOf(given),
    twins: twins.flatMap(({ index, courseString = '', sectionNumber = '' }) =>
      index === undefined ? [] : [{ index, courseString, sectionNumber }],
    ),
    isResolved: given.isResolved !== false,
  };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function textsOf(given: Record<string, unknown>): Partial<Record<string, string>> & Record<string, string> {
  return Object.fromEntries(
    Object.entries(given).filter((entry): entry is [string, string] => {
      return typeof entry[1] === 'string' && entry[1].trim() !== '';
    }),
  );
}
