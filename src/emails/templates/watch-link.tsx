import { Action, Paragraphs } from '../layout.tsx';
import { createTemplate } from '../template.ts';
import { link } from '../values.ts';
import { locales } from '../words.ts';
import { AskedLayout, askedText, sectionSamples, sectionSchema } from './asked-section.tsx';
import { sectionOf } from './open-seat.tsx';
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
      ...sectionSchema,
      manageUrl: link,
      unsubscribeUrl: link,
    },
  },
  samples: {
    short: { ...sectionSamples.short, manageUrl: 'https://seats.example.org/manage/5f0c2f4e9a' },
    whole: {
      ...sectionSamples.whole,
      manageUrl: 'https://seats.example.org/manage/5f0c2f4e9a',
      unsubscribeUrl: 'https://seats.example.org/stop/5f0c2f4e9a',
    },
  },
  subject: (props, { locale }) => watchLinkWords[locale].subject(sectionOf(props, locale)),
  html: (props, words) => {
    const said = watchLinkWords[words.locale];
    return (
      <AskedLayout props={props} said={said} words={words}>
        <Paragraphs>{said.stands}</Paragraphs>
        <Action label={said.manage} url={props.manageUrl} />
      </AskedLayout>
    );
  },
  text: (props, words) => {
    const said = watchLinkWords[words.locale];
    return askedText({ props, said, words }, [
      said.stands,
      `${said.manage}${words.colon.trimEnd()}\n${props.manageUrl}`,
    ]);
  },
});
