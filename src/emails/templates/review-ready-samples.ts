import type { ReviewReadyProps } from './review-ready-props.ts';

/** Reviews of a program that there is not. What a bot writes stays in its language, whoever reads it. */
const change = {
  title: 'Retry an upload when the connection drops',
  changelist: 'CL-48213',
  url: 'https://review.example.org/changes/48213',
  unsubscribeUrl: 'https://mail.example.org/stop/5f0c2f4e9a',
} as const;

const leak = {
  severity: 'critical',
  message: 'The file handle is not closed when the second attempt throws.',
  place: 'src/upload/attempt.ts:87',
} as const;
const endless = {
  severity: 'major',
  message: 'Retries have no upper bound: a server that always answers 503 is asked for ever.',
  place: 'src/upload/retry.ts:31',
} as const;
const jitter = {
  severity: 'major',
  message: 'All clients wait the same time, and come back in the same second.',
  place: 'src/upload/retry.ts:44',
} as const;
const name = {
  severity: 'minor',
  message: '`data2` says nothing about what it holds.',
  place: 'src/upload/attempt.ts:12',
} as const;
const changelog = { severity: 'info', message: 'The changelog does not mention this change.' } as const;

/** More than a mail lists. */
const spread = Array.from({ length: 27 }, (_, index) => ({
  severity: index < 9 ? ('major' as const) : ('minor' as const),
  message: `Missing translation of key ${index + 1} in the catalogue of messages.`,
  place: `packages/web-client/src/translations/catalogue.ts:${40 + 7 * index}`,
}));

export const reviewReadySamples: Readonly<Record<string, ReviewReadyProps>> = {
  first: {
    ...{ ...change, version: '1' },
    summary: 'The retry itself is sound. Two things should change before it is merged.\n\nTests pass.',
    counts: { critical: '1', major: '2', minor: '1', info: '1' },
    findings: [leak, endless, jitter, name, changelog],
  },
  later: {
    ...{ ...change, version: '3' },
    counts: { critical: '0', major: '2', minor: '0', info: '1' },
    findings: [
      { ...jitter, message: 'The wait after a time-out is longer than the test allows.', isNew: 'true' },
      { ...endless, place: 'src/upload/retry.ts:36' },
      changelog,
    ],
    changes: {
      ...{ previousVersion: '2', added: '1', gone: '2', remaining: '2' },
      goneFindings: [
        { ...leak, place: 'src/upload/attempt.ts' },
        { ...name, place: 'src/upload/attempt.ts' },
      ],
    },
  },
  /** Nothing but what must be there, and that nothing was found. */
  clean: {
    ...{ title: 'Sort imports', changelist: 'I3f9a2c71d0', version: '1', findings: [] },
  },
  many: {
    ...{ ...change, version: '12', title: 'Translate the web client into Romanian and simplified Chinese' },
    summary: 'Generated catalogues are not reviewed.',
    counts: { critical: '1', major: '11', minor: '240', info: '748' },
    findings: [
      { ...leak, isNew: 'true' },
      { ...endless, isNew: 'true' },
      { ...jitter, isNew: 'true' },
      ...spread,
    ],
    leftOut: '970',
    changes: {
      ...{ previousVersion: '11', added: '3', gone: '64', remaining: '997' },
      goneFindings: spread.slice(0, 10).map(({ severity, message }) => ({
        ...{ severity, message, place: 'packages/web-client/src/translations/old-catalogue.ts' },
      })),
      goneLeftOut: '54',
    },
  },
};
