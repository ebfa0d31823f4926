import { Footer, footerText } from '../footer.tsx';
import { Action, Layout, Paragraphs, Title } from '../layout.tsx';
import { createTemplate } from '../template.ts';
import { line, link } from '../values.ts';
import { locales } from '../words.ts';
import { openingOf, sectionOf } from './open-seat.tsx';
import { verificationWords } from './open-seat-words.ts';

/**
 * "Is this your address?" It may reach somebody who never asked: so it says what was asked and does nothing by itself, and whoever
 * does not want it has nothing to do.
 */
export const verification = createTemplate({
  name: 'verification',
  version: 'v1',
  locales,
  schema: {
    type: 'object',
    required: ['courseTitle', 'courseString', 'sectionIndex', 'sectionNumber', 'confirmUrl'],
    properties: {
      courseTitle: line(200),
      courseString: line(60),
      sectionIndex: line(60),
      sectionNumber: line(60),
      confirmUrl: link,
      /** By when to follow the link, as it is to be read. */
      confirmBefore: line(100),
      unsubscribeUrl: link,
    },
  },
  samples: {
    short: {
      courseTitle: 'Section 12345',
      courseString: 'TBA',
      sectionIndex: '12345',
      sectionNumber: 'TBA',
      confirmUrl: 'https://seats.example.org/confirm/5f0c2f4e9a',
    },
    whole: {
      courseTitle: 'Introduction to Computer Science',
      courseString: '01:198:111',
      sectionIndex: '09214',
      sectionNumber: '05',
      confirmUrl: 'https://seats.example.org/confirm/5f0c2f4e9a',
      confirmBefore: 'Sat 17 January, 10:42 EST',
      unsubscribeUrl: 'https://seats.example.org/stop/5f0c2f4e9a',
    },
  },
  subject: (props, { locale }) => verificationWords[locale].subject(sectionOf(props, locale)),
  html: (props, words) => {
    const said = verificationWords[words.locale];
    const { confirmUrl, confirmBefore, unsubscribeUrl } = props;
    return (
      <Layout
        title={said.subject(sectionOf(props, words.locale))}
        preheader={openingOf(props, words.locale).replace('\n', ', ')}
        words={words}
      >
        <Title>{said.heading}</Title>
        <Paragraphs>{`${said.asked}\n\n${openingOf(props, words.locale)}`}</Paragraphs>
        <Action label={said.confirm} url={confirmUrl} />
        <Paragraphs>{said.several}</Paragraphs>
        {confirmBefore === undefined ? null : <Paragraphs>{said.before(confirmBefore)}</Paragraphs>}
        <Paragraphs>{said.ignore}</Paragraphs>
        <Footer
          reason={said.reason}
          unsubscribeUrl={unsubscribeUrl}
          manageUrl={undefined}
          words={{ ...words, unsubscribe: said.unsubscribe }}
        />
      </Layout>
    );
  },
  text: (props, words) => {
    const said = verificationWords[words.locale];
    const { confirmUrl, confirmBefore, unsubscribeUrl } = props;
    const footer = { reason: said.reason, unsubscribeUrl, manageUrl: undefined };
    return [
      said.heading,
      `${said.asked}\n${openingOf(props, words.locale)}`,
      `${said.confirm}${words.colon.trimEnd()}\n${confirmUrl}`,
      said.several,
      confirmBefore && said.before(confirmBefore),
      said.ignore,
      footerText(footer, { ...words, unsubscribe: said.unsubscribe }),
    ]
      .filter((part) => part !== undefined && part !== '')
      .join('\n\n');
  },
});
