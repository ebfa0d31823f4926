import type { ReactElement } from 'react';
import { Entries, type Entry } from '../entries.tsx';
import { FigureRow } from '../figures.tsx';
import { Footer, footerText } from '../footer.tsx';
import { Action, Layout, Note, Paragraphs, Title } from '../layout.tsx';
import { subjectOf } from '../subject.ts';
import { createTemplate } from '../template.ts';
import { locales, type Words } from '../words.ts';
import { type ReviewReadyProps as Props, reviewReadySchema, severities } from './review-ready-props.ts';
import { reviewReadySamples } from './review-ready-samples.ts';
import { type ReviewReadyWords, reviewReadyWords } from './review-ready-words.ts';

/**
 * A version of a change has been reviewed: how many findings there are, what changed since the version before, and the way to the
 * review; then the findings, the gravest first. What is gone comes last, because nobody has to do anything about it.
 */
export const reviewReady = createTemplate({
  name: 'review-ready',
  version: 'v1',
  locales,
  schema: reviewReadySchema,
  samples: reviewReadySamples,
  subject: (props, { locale }) => subjectIn(props, reviewReadyWords[locale]),
  html: (props, words) => {
    const said = reviewReadyWords[words.locale];
    const { title, summary, url, leftOut, unsubscribeUrl } = props;
    return (
      <Layout title={subjectIn(props, said)} preheader={preheaderOf(props, said)} words={words}>
        <Title below="4px">{title}</Title>
        <Note>{aboutOf(props, words)}</Note>
        {summary === undefined ? null : <Paragraphs>{summary}</Paragraphs>}
        {props.findings.length === 0 ? <Paragraphs>{said.none}</Paragraphs> : null}
        {overviewOf(props, said).map((row) => (
          <FigureRow key={row.label} {...row} />
        ))}
        {url === undefined ? null : <Action label={said.open} url={url} />}
        {groupsOf(props, words).map(groupElement)}
        {leftOut === undefined ? null : <Note>{`${said.leftOut}${words.colon}${leftOut}`}</Note>}
        {goneOf(props, words).map(groupElement)}
        {props.changes?.goneLeftOut === undefined ? null : (
          <Note>{`${said.leftOut}${words.colon}${props.changes.goneLeftOut}`}</Note>
        )}
        <Footer {...footerOf(unsubscribeUrl, said)} words={{ ...words, unsubscribe: said.unsubscribe }} />
      </Layout>
    );
  },
  text: (props, words) => {
    const said = reviewReadyWords[words.locale];
    const { url, leftOut, changes, unsubscribeUrl } = props;
    const notListed = (count: string | undefined) => count && `${said.leftOut}${words.colon}${count}`;
    return [
      `${props.title}\n${aboutOf(props, words)}`,
      props.summary,
      props.findings.length === 0 ? said.none : undefined,
      ...overviewOf(props, said).map(({ heading, figures }) =>
        [heading, ...figures.map((one) => `  ${one.label}${words.colon}${one.amount}`)].join('\n'),
      ),
      url && `${said.open}${words.colon.trimEnd()}\n${url}`,
      ...groupsOf(props, words).map(groupText),
      notListed(leftOut),
      ...goneOf(props, words).map(groupText),
      notListed(changes?.goneLeftOut),
      footerText(footerOf(unsubscribeUrl, said), { ...words, unsubscribe: said.unsubscribe }),
    ]
      .filter((part) => part !== undefined && part !== '')
      .join('\n\n');
  },
});

function subjectIn({ title, version }: Props, said: ReviewReadyWords): string {
  return subjectOf(said.subject, title, said.inVersion(version));
}

function aboutOf({ changelist, version }: Props, { locale, colon }: Words): string {
  const said = reviewReadyWords[locale];
  return `${said.changelist}${colon}${changelist}\n${said.version}${colon}${version}`;
}

/** What a list of mails shows: only what there is some of. */
function preheaderOf(props: Props, said: ReviewReadyWords): string {
  const figures = overviewOf(props, said).flatMap(({ figures }) => figures);
  const some = figures
    .filter(({ amount }) => amount !== '0')
    .map(({ label, amount }) => `${label} ${amount}`);
  return (props.findings.length === 0 ? [said.none, ...some] : some).join(' · ');
}

function overviewOf({ counts, changes }: Props, said: ReviewReadyWords) {
  const found = counts && {
    ...{ heading: said.findings, label: said.findings },
    figures: severities.map((one) => ({ label: said.severities[one], amount: counts[one] })),
  };
  const changed = changes && {
    ...{ heading: said.since(changes.previousVersion), label: said.changes },
    figures: [
      { label: said.added, amount: changes.added },
      { label: said.gone, amount: changes.gone },
      { label: said.remaining, amount: changes.remaining },
    ],
  };
  return [found, changed].filter((one) => one !== undefined);
}

interface Group {
  heading: string;
  entries: readonly Entry[];
  kind: 'plain' | 'warning' | 'past';
}

function groupsOf({ findings, counts }: Props, words: Words): Group[] {
  const said = reviewReadyWords[words.locale];
  return severities.flatMap((severity) => {
    const entries = findings
      .filter((finding) => finding.severity === severity)
      .map(({ message, place, isNew }) => ({ message, place, label: isNew && said.isNew }));
    const count = counts === undefined ? '' : `${words.colon}${counts[severity]}`;
    return entries.length === 0
      ? []
      : [
          {
            heading: said.severities[severity] + count,
            entries,
            kind: severity === 'critical' ? 'warning' : 'plain',
          },
        ];
  });
}

function goneOf({ changes }: Props, words: Words): Group[] {
  const said = reviewReadyWords[words.locale];
  if (changes?.goneFindings === undefined || changes.goneFindings.length === 0) return [];
  const entries = changes.goneFindings.map(({ severity, message, place }) => ({
    ...{ message, place, label: said.severity[severity] },
  }));
  return [{ heading: `${said.gone}${words.colon}${changes.gone}`, entries, kind: 'past' }];
}

function groupElement({ heading, ...group }: Group): ReactElement {
  return <Entries key={heading} heading={heading} {...group} />;
}

function groupText({ heading, entries }: Group): string {
  const lines = entries.flatMap(({ message, label, place }) => {
    const where = [label, place].filter((one) => one !== undefined).join(' · ');
    return [`- ${message}`, ...(where === '' ? [] : [`  ${where}`])];
  });
  return [heading, ...lines].join('\n');
}

function footerOf(unsubscribeUrl: string | undefined, { reason }: ReviewReadyWords) {
  return { reason, unsubscribeUrl, manageUrl: undefined };
}
