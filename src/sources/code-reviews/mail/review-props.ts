import { lineOf, paragraphsOf } from '../../../std/one-line.ts';
import { parseUrl } from '../../../std/url.ts';

/**
 * From a review's findings, and those of the version before, to what the template `review-ready` shows. Pure: the same two versions
 * are the same mail. Bots write whatever they like; here it is tidied and bounded, so that no finding keeps a mail from leaving.
 */
export interface ReviewOrder {
  changelistId: string;
  version: number;
  title: string;
  /** One that no mail may hold is left out. */
  url?: string | null | undefined;
  summary?: string | null | undefined;
  findings: readonly Finding[];
  /** The version before this one, where there is one. */
  previous?: { version: number; findings: readonly Finding[] } | undefined;
}

export interface Finding {
  severity: Severity;
  message: string;
  file?: string | null | undefined;
  line?: number | null | undefined;
}

/** The gravest first. */
const severities = ['critical', 'major', 'minor', 'info'] as const;
type Severity = (typeof severities)[number];

// As many as somebody reads in a mail, and as fit into what Gmail shows of one. The review itself has all of them.
const findingsMax = 30;
const goneMax = 10;

export function reviewProps(order: ReviewOrder) {
  const { version, summary, url, findings, previous } = order;
  const changelist = lineOf(order.changelistId, 200) || nameless;
  const text = paragraphsOf(summary, 2000);
  const link = linkOf(url);
  const tidied = findings.map(tidy);
  const change = previous && compare(tidied, previous.findings.map(tidy));
  const listed = sorted(tidied, (one) => (change?.added.has(one) ? 0 : 1));
  const leftOut = listed.length - findingsMax;
  return {
    title: lineOf(order.title, 300) || changelist,
    changelist,
    version: String(version),
    ...(text !== '' && { summary: text }),
    ...(link !== undefined && { url: link }),
    ...(tidied.length > 0 && { counts: countsOf(tidied) }),
    findings: listed.slice(0, findingsMax).map((one) => ({
      ...shownOf(one, placeOf(one)),
      ...(change?.added.has(one) && { isNew: 'true' as const }),
    })),
    ...(leftOut > 0 && { leftOut: String(leftOut) }),
    ...(change && { changes: changesOf(change, tidied.length, previous.version) }),
  };
}

const nameless = '…'; // A template refuses what is blank.

/** In one line, and a thing of its own: two findings may be the same. */
function tidy({ severity, message, file, line }: Finding): Tidied {
  const place = lineOf(file, Number.POSITIVE_INFINITY);
  return { severity, message: lineOf(message, Number.POSITIVE_INFINITY) || nameless, file: place, line };
}

interface Tidied {
  severity: Severity;
  message: string;
  /** Empty for none. */
  file: string;
  line: Finding['line'];
}

interface Change {
  added: ReadonlySet<Tidied>;
  gone: readonly Tidied[];
}

/**
 * A finding is the same as one before that has its severity, file and message. Not its line: whoever adds an import moves all that
 * is below it. With its severity: what has become grave is news. Then the one before is not gone either, for the code is
 * as it was. Where a file has the same message three times, and had it twice, one of the three is new; which one, nobody knows.
 */
function compare(findings: readonly Tidied[], previous: readonly Tidied[]): Change {
  const added = without(findings, previous, identityOf);
  const gone = without(without(previous, findings, identityOf), added, wordsOf);
  return { added: new Set(added), gone };
}

const identityOf = ({ severity, file, message }: Tidied) => JSON.stringify([severity, file, message]);
const wordsOf = ({ file, message }: Tidied) => JSON.stringify([file, message]);

/** Each of the others takes one away that is the same, the first there is. */
function without(
  findings: readonly Tidied[],
  others: readonly Tidied[],
  keyOf: (finding: Tidied) => string,
): Tidied[] {
  const left = new Map<string, number>();
  for (const key of others.map(keyOf)) left.set(key, (left.get(key) ?? 0) + 1);
  return findings.filter((finding) => {
    const key = keyOf(finding);
    const count = left.get(key) ?? 0;
    if (count > 0) left.set(key, count - 1);
    return count === 0;
  });
}

/** By severity, then as told, and otherwise in the order that the bot gave them. */
function sorted(findings: readonly Tidied[], then: (finding: Tidied) => number = () => 0): Tidied[] {
  const rankOf = ({ severity }: Tidied) => severities.indexOf(severity);
  return [...findings].sort((one, other) => rankOf(one) - rankOf(other) || then(one) - then(other));
}

function countsOf(findings: readonly Tidied[]): Record<Severity, string> {
  const count = (wanted: Severity) => String(findings.filter(({ severity }) => severity === wanted).length);
  return { critical: count('critical'), major: count('major'), minor: count('minor'), info: count('info') };
}

/** Of one that is gone only the file: its line was one of the version before. */
function changesOf({ added, gone }: Change, all: number, previousVersion: number) {
  const listed = sorted(gone).slice(0, goneMax);
  return {
    previousVersion: String(previousVersion),
    added: String(added.size),
    gone: String(gone.length),
    remaining: String(all - added.size),
    ...(listed.length > 0 && { goneFindings: listed.map((one) => shownOf(one, one.file)) }),
    ...(gone.length > listed.length && { goneLeftOut: String(gone.length - listed.length) }),
  };
}

function shownOf({ severity, message }: Tidied, place: string) {
  return {
    severity,
    message: lineOf(message, 300),
    ...(place !== '' && { place: endOf(place, 200) }),
  };
}

/** `src/a.ts:12` */
function placeOf({ file, line }: Tidied): string {
  return file !== '' && line ? `${file}:${line}` : file;
}

/** Of a long path the end tells more than the beginning. */
function endOf(place: string, charactersMax: number): string {
  if (place.length <= charactersMax) return place;
  // Not from the middle of a sign of two.
  return `…${place.slice(1 - charactersMax).replace(/^[\udc00-\udfff]/, '')}`;
}

/** As a mail may hold it: an http or https address without a password, in the signs of RFC 3986. */
function linkOf(text: string | null | undefined): string | undefined {
  const url = parseUrl(text ?? '');
  if (!url || !['http:', 'https:'].includes(url.protocol)) return undefined;
  if (url.username !== '' || url.password !== '') return undefined;
  const link = url.href.replaceAll(/[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]/g, encodeURIComponent);
  return link.length > linkCharactersMax ? undefined : link;
}

const linkCharactersMax = 2048;
