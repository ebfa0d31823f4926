import { Footer, footerText } from '../footer.tsx';
import { Action, Fact, Layout, Paragraphs, Title } from '../layout.tsx';
import { createTemplate } from '../template.ts';
import { line, link, text } from '../values.ts';
import { locales, type Words } from '../words.ts';
import { campusNameIn } from './campus-names.ts';
import { openSeatWords } from './open-seat-words.ts';

/**
 * A seat has opened: which, when that was seen, and what somebody has to know who runs for it. The variables are those of spec
 * 000's mail job, the required ones its required ones (000-27). The button comes before everything that can wait.
 */
export const openSeat = createTemplate({
  name: 'open-seat',
  version: 'v1',
  locales,
  schema: {
    type: 'object',
    required: ['courseTitle', 'courseString', 'sectionIndex', 'sectionNumber', 'meetingSummary', 'manageUrl'],
    properties: {
      courseTitle: line(200),
      courseString: line(60),
      sectionIndex: line(60),
      sectionNumber: line(60),
      /** A line for each meeting. */
      meetingSummary: text(1500),
      campus: line(60),
      /** In the campus's time, as it is to be read. */
      seenAt: line(100),
      /** Who has to say yes. */
      specialPermission: line(200),
      restrictions: line(600),
      notes: line(600),
      /** The same seats under other courses. */
      twinsOpen: line(300),
      twinsClosed: line(300),
      registrationUrl: link,
      manageUrl: link,
      unsubscribeUrl: link,
    },
  },
  samples: {
    short: {
      courseTitle: 'INTRO COMPUTER SCI',
      courseString: '01:198:111',
      sectionIndex: '09214',
      sectionNumber: '05',
      meetingSummary: 'Mon 10:20-11:40 BUS HIL 114\nThu 10:20-11:40 BUS HIL 114',
      manageUrl: 'https://seats.example.org/watch/5f0c2f4e9a',
    },
    /** 8.13: the feed has an index that no catalog knows. */
    unresolved: {
      courseTitle: 'Section 12345',
      courseString: 'TBA',
      sectionIndex: '12345',
      sectionNumber: 'TBA',
      meetingSummary: 'TBA',
      seenAt: 'Thu 15 January, 10:42 EST',
      registrationUrl: 'https://register.example.org/add?term=12026&index=12345',
      manageUrl: 'https://seats.example.org/watch/5f0c2f4e9a',
      unsubscribeUrl: 'https://seats.example.org/stop/5f0c2f4e9a',
    },
    whole: {
      courseTitle: 'Introduction to Computer Science',
      courseString: '01:198:111',
      sectionIndex: '09214',
      sectionNumber: '05',
      meetingSummary: 'Mon 10:20-11:40 BUS HIL 114\nThu 10:20-11:40 BUS HIL 114\nFri 08:30-09:50 BUS BE 250',
      campus: 'NB',
      seenAt: 'Thu 15 January, 10:42 EST',
      specialPermission: 'Department staff',
      restrictions: 'Majors: 198 (Computer Science), 640 (Mathematics). Not for students of unit 30.',
      notes: 'Prerequisite: 01:640:115 or placement.',
      twinsOpen: '04:547:111 05 (09315)',
      twinsClosed: '14:332:111 05 (09420)',
      registrationUrl:
        'https://register.example.org/webreg/editSchedule.htm?login=cas&semesterSelection=12026&indexList=09214',
      manageUrl: 'https://seats.example.org/watch/5f0c2f4e9a',
      unsubscribeUrl: 'https://seats.example.org/stop/5f0c2f4e9a',
    },
  },
  subject: (props, { locale }) => openSeatWords[locale].subject(sectionOf(props, locale)),
  html: (props, words) => {
    const said = openSeatWords[words.locale];
    const { courseTitle, specialPermission, restrictions, registrationUrl } = props;
    return (
      <Layout title={said.subject(sectionOf(props, words.locale))} preheader={courseTitle} words={words}>
        <Title>{said.heading}</Title>
        <Paragraphs>{seenOf(props, words.locale)}</Paragraphs>
        {specialPermission === undefined ? null : (
          <Fact isWarning label={said.labels.permission}>
            {specialPermission}
          </Fact>
        )}
        {restrictions === undefined ? null : (
          <Fact isWarning label={said.labels.restrictions}>
            {restrictions}
          </Fact>
        )}
        {registrationUrl === undefined ? null : <Action label={said.register} url={registrationUrl} />}
        {factsOf(props, words).map(({ label, value }) => (
          <Fact key={label} label={label}>
            {value}
          </Fact>
        ))}
        <Paragraphs>{said.hurry}</Paragraphs>
        <Footer {...footerOf(props)} reason={said.reason} words={footerWordsIn(words)} />
      </Layout>
    );
  },
  text: (props, words) => {
    const said = openSeatWords[words.locale];
    const { specialPermission, restrictions, registrationUrl } = props;
    const labelled = (label: string, value: string | undefined) =>
      value && label + (value.includes('\n') ? `${words.colon.trimEnd()}\n` : words.colon) + value;
    return [
      said.heading,
      seenOf(props, words.locale),
      labelled(said.labels.permission, specialPermission),
      labelled(said.labels.restrictions, restrictions),
      registrationUrl && `${said.register}${words.colon.trimEnd()}\n${registrationUrl}`,
      ...factsOf(props, words).map(({ label, value }) => labelled(label, value)),
      said.hurry,
      footerText({ ...footerOf(props), reason: said.reason }, footerWordsIn(words)),
    ]
      .filter((part) => part !== undefined && part !== '')
      .join('\n\n');
  },
});

export interface Section {
  courseTitle: string;
  courseString: string;
  sectionIndex: string;
  sectionNumber: string;
}

/** The stand-in of whoever makes the job, for what nobody knows yet. */
const unknown = 'TBA';

export function sectionOf(props: Omit<Section, 'courseTitle'>, locale: Words['locale']): string {
  const { courseString, sectionNumber, sectionIndex } = props;
  const said = openSeatWords[locale];
  if (courseString === unknown && sectionNumber === unknown) return said.index(sectionIndex);
  return said.section(courseString, sectionNumber, sectionIndex);
}

/** The section's name, and the course's where there is one. */
export function openingOf(props: Section, locale: Words['locale']): string {
  const isKnown = props.courseString !== unknown;
  return isKnown ? `${props.courseTitle}\n${sectionOf(props, locale)}` : sectionOf(props, locale);
}

function seenOf(props: Section & { seenAt?: string }, locale: Words['locale']): string {
  const opening = openingOf(props, locale);
  return props.seenAt === undefined ? opening : `${opening}\n${openSeatWords[locale].seen(props.seenAt)}`;
}

function factsOf(props: Facts, { locale }: Words): { label: string; value: string }[] {
  const { labels } = openSeatWords[locale];
  const facts = [
    { label: labels.meets, value: props.meetingSummary === unknown ? undefined : props.meetingSummary },
    { label: labels.campus, value: props.campus && campusNameIn(locale, props.campus) },
    { label: labels.twinsOpen, value: props.twinsOpen },
    { label: labels.twinsClosed, value: props.twinsClosed },
    { label: labels.notes, value: props.notes },
  ];
  return facts.flatMap(({ label, value }) => (value === undefined ? [] : [{ label, value }]));
}

type Facts = { meetingSummary: string } & Partial<
  Record<'campus' | 'twinsOpen' | 'twinsClosed' | 'notes', string>
>;

function footerOf({ unsubscribeUrl, manageUrl }: { unsubscribeUrl?: string; manageUrl: string }) {
  return { unsubscribeUrl, manageUrl };
}

function footerWordsIn(words: Words): Words {
  const { manage, unsubscribe } = openSeatWords[words.locale];
  return { ...words, manage, unsubscribe };
}
