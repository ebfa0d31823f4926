import { Action, Paragraphs } from '../layout.tsx';
import { createTemplate } from '../template.ts';
import { line, link } from '../values.ts';
import { locales } from '../words.ts';
import { AskedLayout, askedText, sectionSamples, sectionSchema } from './asked-section.tsx';
import { sectionOf } from './open-seat.tsx';
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
      ...sectionSchema,
      confirmUrl: link,
      /** By when to follow the link, as it is to be read. */
      confirmBefore: line(100),
      unsubscribeUrl: link,
    },
  },
  samples: {
    short: { ...sectionSamples.short, confirmUrl: 'https://seats.example.org/confirm/5f0c2f4e9a' },
    whole: {
      ...sectionSamples.whole,
      confirmUrl: 'https://seats.example.org/confirm/5f0c2f4e9a',
      confirmBefore: 'Sat 17 January, 10:42 EST',
      unsubscribeUrl: 'https://seats.example.org/stop/5f0c2f4e9a',
    },
  },
  subject: (props, { locale }) => verificationWords[locale].subject(sectionOf(props, locale)),
  html: (props, words) => {
    const said = verificationWords[words.locale];
    const { confirmUrl, confirmBefore } = props;
    return (
      <AskedLayout props={props} said={said} words={words}>
        <Action label={said.confirm} url={confirmUrl} />
        <Paragraphs>{said.several}</Paragraphs>
        {confirmBefore === undefined ? null : <Paragraphs>{said.before(confirmBefore)}</Paragraphs>}
        <Paragraphs>{said.ignore}</Paragraphs>
      </AskedLayout>
    );
  },
  text: (props, words) => {
    const said = verificationWords[words.locale];
    const { confirmUrl, confirmBefore } = props;
    return askedText({ props, said, words }, [
      `${said.confirm}${words.colon.trimEnd()}\n${confirmUrl}`,
      said.several,
      confirmBefore && said.before(confirmBefore),
      said.ignore,
    ]);
  },
});
