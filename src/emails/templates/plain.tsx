import { Footer, footerText } from '../footer.tsx';
import { Action, Layout, Paragraphs, Title } from '../layout.tsx';
import { createTemplate } from '../template.ts';
import { line, link, text } from '../values.ts';
import { locales } from '../words.ts';

/** A letter whose words are all the caller's: for the engine used by itself. A link in the text stays text. */
export const plain = createTemplate({
  name: 'plain',
  version: 'v1',
  locales,
  schema: {
    type: 'object',
    required: ['subject', 'text'],
    properties: {
      subject: line(998), // RFC 5322 2.1.1 counts octets; the mail's own check does, too.
      text: text(512 * 1024), // Half of a mail's bound, as it goes out twice.
      heading: line(200),
      preheader: line(150),
      action: { type: 'object', required: ['label', 'url'], properties: { label: line(80), url: link } },
      reason: line(300),
      unsubscribeUrl: link,
      manageUrl: link,
    },
  },
  samples: {
    short: { subject: 'It works', text: 'This is the first mail that Tidings has sent for you.' },
    whole: {
      subject: 'The library opens at eight tomorrow',
      preheader: 'Longer hours from Monday on, and what they change for you.',
      heading: 'Longer hours from Monday on',
      text: [
        'From Monday on the library opens at eight in the morning and closes at ten in the evening. The reading room on the second floor stays open until midnight during the examinations.',
        'What you have on loan keeps its date:\n  – Introduction to Probability, 12 March\n  – A Pattern Language, 19 March',
        'The catalogue is at https://library.example.org/catalogue as before.',
      ].join('\n\n'),
      action: { label: 'See the new hours', url: 'https://library.example.org/hours?from=mail&week=12' },
      reason: 'You get this mail because you have a library card.',
      unsubscribeUrl: 'https://library.example.org/mail/stop/5f0c2f4e9a',
      manageUrl: 'https://library.example.org/mail',
    },
  },
  subject: ({ subject }) => subject,
  html: ({ subject, preheader, heading, text, action, reason, unsubscribeUrl, manageUrl }, words) => (
    <Layout title={subject} preheader={preheader} words={words}>
      {heading === undefined ? null : <Title>{heading}</Title>}
      <Paragraphs>{text}</Paragraphs>
      {action === undefined ? null : <Action {...action} />}
      <Footer reason={reason} unsubscribeUrl={unsubscribeUrl} manageUrl={manageUrl} words={words} />
    </Layout>
  ),
  text: ({ heading, text, action, reason, unsubscribeUrl, manageUrl }, words) =>
    [
      heading,
      text,
      // On a line of its own, so that no program breaks it.
      action && `${action.label}${words.colon.trimEnd()}\n${action.url}`,
      footerText({ reason, unsubscribeUrl, manageUrl }, words),
    ]
      .filter((part) => part !== undefined)
      .join('\n\n'),
});
