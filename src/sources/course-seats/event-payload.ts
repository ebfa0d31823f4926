/**
 * What an open event carries from its detection on, so that a mail hours later says what was true then (000-43, 004-19). It is
 * channel-agnostic, and additive: a reader lets pass what it does not know and does without what is not there. An index that no
 * catalog knows has only its hash.
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

/** What was written by another version, or by hand, is read as far as it can be. */
export function readPayload(json: string): Partial<EventPayload> {
  const given: unknown = parsed(json);
  if (typeof given !== 'object' || given === null) return {};
  const texts = Object.entries(given).filter(([, value]) => typeof value === 'string' && value !== '');
  return Object.fromEntries(texts) as Partial<EventPayload>;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}
