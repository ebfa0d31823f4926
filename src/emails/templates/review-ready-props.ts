import { line, link, listOf, oneOf, type PropsOf, text } from '../values.ts';

const severity = oneOf('critical', 'major', 'minor', 'info');
const count = line(16); // A version may be any safe integer.

/**
 * A review of one version of a change. Numbers are plain digits in every language: there are never so many findings that somebody
 * would group them.
 */
export const reviewReadySchema = {
  type: 'object',
  required: ['title', 'changelist', 'version', 'findings'],
  properties: {
    title: line(300),
    changelist: line(200),
    version: count,
    summary: text(2000),
    url: link,
    /** Of all findings, also of those that are not listed. Left out where there are none. */
    counts: {
      type: 'object',
      required: ['critical', 'major', 'minor', 'info'],
      properties: { critical: count, major: count, minor: count, info: count },
    },
    /** Listed within their severity in the order in which they come. */
    findings: listOf(30, {
      type: 'object',
      required: ['severity', 'message'],
      properties: {
        severity,
        message: line(300),
        /** `src/a.ts:12` */
        place: line(200),
        isNew: oneOf('true'),
      },
    }),
    /** How many findings are not listed. */
    leftOut: count,
    /** Against the version before; the first has none. */
    changes: {
      type: 'object',
      required: ['previousVersion', 'added', 'gone', 'remaining'],
      properties: {
        previousVersion: count,
        added: count,
        gone: count,
        remaining: count,
        goneFindings: listOf(10, {
          type: 'object',
          required: ['severity', 'message'],
          properties: { severity, message: line(300), place: line(200) },
        }),
        goneLeftOut: count,
      },
    },
    unsubscribeUrl: link,
  },
} as const;

export type ReviewReadyProps = PropsOf<typeof reviewReadySchema>;
export type Severity = ReviewReadyProps['findings'][number]['severity'];
/** The gravest first. */
export const severities: readonly Severity[] = severity.enum;
