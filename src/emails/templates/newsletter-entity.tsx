import type { ReactElement } from 'react';
import { Figure, FigureTable, Share } from '../figures.tsx';
import { Footer, footerText } from '../footer.tsx';
import { Action, Header, Layout, Note, Subtitle, Title } from '../layout.tsx';
import { subjectOf } from '../subject.ts';
import { createTemplate } from '../template.ts';
import { newsletterSchema, type NewsletterProps as Props } from './newsletter-entity-props.ts';
import { newsletterSamples } from './newsletter-entity-samples.ts';
import { type NewsletterWords, newsletterLocales, newsletterWords } from './newsletter-entity-words.ts';

/**
 * What an institution took in and spent in a period: the three figures first, each with its change, then the year so far, per
 * inhabitant, and what the most was spent on. 002-P3-09.
 */
export const newsletterEntity = createTemplate({
  name: 'newsletter-entity',
  version: 'v1',
  locales: newsletterLocales,
  schema: newsletterSchema,
  samples: newsletterSamples,
  subject: (props, { locale }) => subjectIn(props, newsletterWords[locale]),
  html: (props, words) => {
    const said = newsletterWords[words.locale];
    const { entityName, yearToDate, perHead, entityUrl } = props;
    return (
      <Layout title={subjectIn(props, said)} preheader={preheaderOf(props, said)} words={words}>
        <Header platformUrl={props.platformBaseUrl} isPreview={props.isPreview !== undefined} words={words} />
        <Title below="4px">{entityName}</Title>
        <Note below="24px">{aboutOf(props, said).join('\n')}</Note>
        {summaryOf(props, said).map((figure) => (
          <Figure key={figure.label} {...figure} />
        ))}
        {yearToDate === undefined ? null : (
          <>
            <Subtitle>{`${said.yearToDate}${words.colon}${yearToDate.label}`}</Subtitle>
            <FigureTable label={said.yearToDate} rows={rowsOf(yearToDate, said)} />
          </>
        )}
        {perHead === undefined ? null : (
          <>
            <Subtitle>{said.perHead}</Subtitle>
            <FigureTable label={said.perHead} rows={rowsOf(perHead, said)} />
          </>
        )}
        {sharesOf(props, said)}
        {entityUrl === undefined ? null : <Action label={said.open} url={entityUrl} />}
        <Footer {...footerOf(props, said)} words={{ ...words, unsubscribe: said.unsubscribe }} />
      </Layout>
    );
  },
  text: (props, words) => {
    const said = newsletterWords[words.locale];
    const { yearToDate, perHead, topExpenses = [], entityUrl } = props;
    const listed = (rows: readonly { label: string; amount: string }[]) =>
      rows.map(({ label, amount }) => `  ${label}${words.colon}${amount}`);
    const paragraphs: (readonly (string | undefined)[])[] = [
      [props.isPreview && words.preview],
      [props.entityName, ...aboutOf(props, said)],
      summaryOf(props, said).map(
        ({ label, amount, note }) =>
          `${label}${words.colon}${amount}${note === undefined ? '' : ` (${note})`}`,
      ),
      yearToDate === undefined
        ? []
        : [`${said.yearToDate}${words.colon}${yearToDate.label}`, ...listed(rowsOf(yearToDate, said))],
      perHead === undefined ? [] : [said.perHead, ...listed(rowsOf(perHead, said))],
      topExpenses.length === 0
        ? []
        : [
            said.topExpenses,
            ...topExpenses.map(
              ({ name, amount, share }, place) =>
                `  ${place + 1}. ${name}${words.colon}${said.share(amount, share)}`,
            ),
          ],
      [entityUrl && `${said.open}${words.colon.trimEnd()}\n${entityUrl}`],
      [footerText(footerOf(props, said), { ...words, unsubscribe: said.unsubscribe })],
    ];
    return paragraphs
      .map((lines) => lines.filter((one) => one !== undefined && one !== '').join('\n'))
      .filter((paragraph) => paragraph !== '')
      .join('\n\n');
  },
});

function subjectIn({ entityName, periodLabel }: Props, said: NewsletterWords): string {
  return subjectOf(said.subject(periodLabel), entityName);
}

function preheaderOf({ totalIncome, totalExpenses, budgetBalance }: Props, said: NewsletterWords): string {
  return [
    `${said.income} ${totalIncome}`,
    `${said.expenses} ${totalExpenses}`,
    `${said.balance} ${budgetBalance}`,
  ].join(' · ');
}

function aboutOf({ periodType, periodLabel, entityCui }: Props, said: NewsletterWords): string[] {
  return [`${said.kind[periodType]}: ${periodLabel}`, said.taxId(entityCui)];
}

function summaryOf(props: Props, said: NewsletterWords) {
  const { changes, balanceSign } = props;
  const noteOf = (change: string | undefined) =>
    changes && change ? said.change(change, changes.beforeLabel) : undefined;
  return [
    {
      ...{ label: said.income, amount: props.totalIncome, bar: props.incomeShare },
      note: noteOf(changes?.income),
    },
    {
      ...{ label: said.expenses, amount: props.totalExpenses, bar: props.expensesShare },
      note: noteOf(changes?.expenses),
    },
    {
      ...{ label: said.balances[balanceSign], amount: props.budgetBalance, bar: undefined },
      note: noteOf(changes?.balance),
    },
  ];
}

function rowsOf(of: { income: string; expenses: string; balance: string }, said: NewsletterWords) {
  return [
    { label: said.income, amount: of.income },
    { label: said.expenses, amount: of.expenses },
    { label: said.balance, amount: of.balance },
  ];
}

/** Two may have the same name: each is told by its place. */
function sharesOf({ topExpenses = [] }: Props, said: NewsletterWords): ReactElement[] {
  const shares: ReactElement[] = [];
  for (const { name, amount, share, bar } of topExpenses) {
    if (shares.length === 0) shares.push(<Subtitle key="title">{said.topExpenses}</Subtitle>);
    shares.push(<Share key={shares.length} name={name} note={said.share(amount, share)} bar={bar} />);
  }
  return shares;
}

function footerOf(
  { periodType, unsubscribeUrl, preferencesUrl, platformBaseUrl }: Props,
  said: NewsletterWords,
) {
  return {
    ...{ reason: said.reason[periodType], unsubscribeUrl, manageUrl: preferencesUrl },
    platformUrl: platformBaseUrl,
  };
}
