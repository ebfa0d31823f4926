import { Footer, footerText } from '../footer.tsx';
import { Action, Layout, Paragraphs, Title } from '../layout.tsx';
import { createTemplate } from '../template.ts';
import { line, link } from '../values.ts';
import { locales } from '../words.ts';
import { openingOf, sectionOf } from './open-seat.tsx';
import { watchLinkWords } from './watch-link-words.ts';

/** "You watch this already": for whoever asks for what they have, most of all because they have lost the link to it. */
export const watchLink = createTemplate({
  name: 'watch-link',
  version: 'v1',
  locales,
  schema: {
    type: 'object',
    required: ['courseTitle', 'courseString', 'sectionIndex', 'sectionNumber', 'manageUrl'],
    properties: {
      courseTitle: line(200),
      courseString: line(60),
      sectionIndex: line(60),
      sectionNumber: line(60),
      manageUrl: link,
      unsubscribeUrl: link,
    },
  },
  samples: {
    short: {
      courseTitle: 'Section 12345',
      courseString: 'TBA',
      sectionIndex: '12345',
      sectionNumber: 'TBA',
      manageUrl: 'https://seats.example.org/manage/5f0c2f4e9a',
    },
    whole: {
      courseTitle: 'Introduction to Computer Science',
      courseString: '01:198:111',
      sectionIndex: '09214',
      sectionNumber: '05',
      manageUrl: 'https://seats.example.org/manage/5f0c2f4e9a',
      unsubscribeUrl: 'https://seats.example.org/stop/5f0c2f4e9a',
    },
  },
  subject: (props, { locale }) => watchLinkWords[locale].subject(sectionOf(props, locale)),
  html: (props, words) => {
    const said = watchLinkWords[words.locale];
    const { manageUrl, unsubscribeUrl } = props;
    return (
      <Layout
        title={said.subject(sectionOf(props, words.locale))}
        preheader={openingOf(props, words.locale).replace('\n', ', ')}
        words={words}
      >
        <Title>{said.heading}</Title>
        <Paragraphs>{`${said.asked}\n\n${openingOf(props, words.locale)}`}</Paragraphs>
        <Paragraphs>{said.stands}</Paragraphs>
        <Action label={said.manage} url={manageUrl} />
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
    const said = watchLinkWords[words.locale];
    const { manageUrl, unsubscribeUrl } = props;
    const footer = { reason: said.reason, unsubscribeUrl, manageUrl: undefined };
    return [
      said.heading,
      `${said.asked}\n${openingOf(props, words.locale)}`,
      said.stands,
      `${said.manage}${words.colon.trimEnd()}\n${manageUrl}`,
      footerText(footer, { ...words, unsubscribe: said.unsubscribe }),
    ]
      .filter((part) => part !== undefined && part !== '')
      .join('\n\n');
  },
});
