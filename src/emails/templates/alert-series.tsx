import type { ReactElement } from 'react';
import { Figure } from '../figures.tsx';
import { Footer, footerText } from '../footer.tsx';
import { Action, Fact, Header, Layout, Note, Paragraphs, Title } from '../layout.tsx';
import { subjectOf } from '../subject.ts';
import { createTemplate } from '../template.ts';
import { alertSchema, type AlertProps as Props } from './alert-series-props.ts';
import { alertSamples } from './alert-series-samples.ts';
import { type AlertWords, alertWords } from './alert-series-words.ts';

/**
 * A series has a value that somebody asked to be told of: the value, and each condition as a sentence that says whether it holds.
 * 002-P3-10.
 */
export const alertSeries = createTemplate({
  name: 'alert-series',
  version: 'v1',
  locales: ['en', 'ro'],
  schema: alertSchema,
  samples: alertSamples,
  subject: (props, { locale }) => subjectIn(props, alertWords[locale]),
  html: (props, words) => {
    const said = alertWords[words.locale];
    const { title, description, actualValue, periodLabel, seriesUrl } = props;
    const preheader = `${periodLabel}${words.colon}${actualValue}`;
    return (
      <Layout title={subjectIn(props, said)} preheader={preheader} words={words}>
        <Header platformUrl={props.platformBaseUrl} isPreview={props.isPreview !== undefined} words={words} />
        <Title below="4px">{title}</Title>
        <Note below="24px">{said.period(periodLabel)}</Note>
        <Figure label={said.value} amount={actualValue} note={undefined} bar={undefined} />
        <Paragraphs>{standOf(props, said)}</Paragraphs>
        {conditionsOf(props, said)}
        {description === undefined ? null : <Paragraphs>{description}</Paragraphs>}
        {seriesUrl === undefined ? null : <Action label={said.open} url={seriesUrl} />}
        <Footer {...footerOf(props, said)} words={{ ...words, unsubscribe: said.unsubscribe }} />
      </Layout>
    );
  },
  text: (props, words) => {
    const said = alertWords[words.locale];
    const { conditions, seriesUrl } = props;
    return [
      props.isPreview && words.preview,
      `${props.title}\n${said.period(props.periodLabel)}`,
      `${said.value}${words.colon}${props.actualValue}`,
      standOf(props, said),
      ...conditions.map((one) => `${labelOf(one, said)}${words.colon.trimEnd()}\n  ${said.condition(one)}`),
      props.description,
      seriesUrl && `${said.open}${words.colon.trimEnd()}\n${seriesUrl}`,
      footerText(footerOf(props, said), { ...words, unsubscribe: said.unsubscribe }),
    ]
      .filter((part) => part !== undefined && part !== '')
      .join('\n\n');
  },
});

const isMet = ({ isMet }: { isMet: 'true' | 'false' }) => isMet === 'true';

function subjectIn({ title, periodLabel, conditions }: Props, said: AlertWords): string {
  return subjectOf(conditions.some(isMet) ? said.subject : '', title, `, ${periodLabel}`);
}

function standOf({ conditions }: Props, said: AlertWords): string {
  const met = conditions.filter(isMet).length;
  return conditions.length === 0 ? said.informational : said.count(met, conditions.length);
}

/** Two may be the same: each is told by its place. */
function conditionsOf({ conditions }: Props, said: AlertWords): ReactElement[] {
  const facts: ReactElement[] = [];
  for (const condition of conditions) {
    facts.push(
      <Fact key={facts.length} isWarning={isMet(condition)} label={labelOf(condition, said)}>
        {said.condition(condition)}
      </Fact>,
    );
  }
  return facts;
}

function labelOf(condition: { isMet: 'true' | 'false' }, said: AlertWords): string {
  return isMet(condition) ? said.met : said.notMet;
}

function footerOf({ unsubscribeUrl, preferencesUrl, platformBaseUrl }: Props, said: AlertWords) {
  return {
    ...{ reason: said.reason, unsubscribeUrl, manageUrl: preferencesUrl, platformUrl: platformBaseUrl },
  };
}
