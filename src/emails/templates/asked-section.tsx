import type { ReactElement, ReactNode } from 'react';
import { Footer, footerText } from '../footer.tsx';
import { Layout, Paragraphs, Title } from '../layout.tsx';
import { line } from '../values.ts';
import type { Words } from '../words.ts';
import { openingOf, type Section, sectionOf } from './open-seat.tsx';

/** What mails about a section say that tell of no opening: somebody has asked to watch it. Each says by itself what is to be done now. */
interface AskedWords {
  subject(section: string): string;
  heading: string;
  asked: string;
  reason: string;
  unsubscribe: string;
}

interface AskedProps extends Section {
  unsubscribeUrl?: string;
}

interface AskedMail {
  props: AskedProps;
  said: AskedWords;
  words: Words;
}

export const sectionSchema = {
  courseTitle: line(200),
  courseString: line(60),
  sectionIndex: line(60),
  sectionNumber: line(60),
};

export const sectionSamples = {
  /** Of an index that no catalog knows. */
  short: { courseTitle: 'Section 12345', courseString: 'TBA', sectionIndex: '12345', sectionNumber: 'TBA' },
  whole: {
    courseTitle: 'Introduction to Computer Science',
    courseString: '01:198:111',
    sectionIndex: '09214',
    sectionNumber: '05',
  },
};

export function AskedLayout({
  props,
  said,
  words,
  children,
}: AskedMail & { children: ReactNode }): ReactElement {
  return (
    <Layout
      title={said.subject(sectionOf(props, words.locale))}
      preheader={openingOf(props, words.locale).replace('\n', ', ')}
      words={words}
    >
      <Title>{said.heading}</Title>
      <Paragraphs>{`${said.asked}\n\n${openingOf(props, words.locale)}`}</Paragraphs>
      {children}
      <Footer
        reason={said.reason}
        unsubscribeUrl={props.unsubscribeUrl}
        words={{ ...words, unsubscribe: said.unsubscribe }}
      />
    </Layout>
  );
}

export function askedText({ props, said, words }: AskedMail, parts: readonly (string | undefined)[]): string {
  const footer = { reason: said.reason, unsubscribeUrl: props.unsubscribeUrl };
  return [
    said.heading,
    `${said.asked}\n${openingOf(props, words.locale)}`,
    ...parts,
    footerText(footer, { ...words, unsubscribe: said.unsubscribe }),
  ]
    .filter((part) => part !== undefined && part !== '')
    .join('\n\n');
}
