import { campusNames } from '../../../emails/templates/campus-names.ts';
import type { SeatsWords } from './words.ts';

const seasons = { winter: 'Winter', spring: 'Spring', summer: 'Summer', fall: 'Fall' } as const;
const counted = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`;

export const english: SeatsWords = {
  name: 'Course seats',
  toSearch: 'Search for another section',
  sample: 'This is a sample campus for trying things out: its courses and seats are made up.',
  sampleMoving: 'These sections open and close every few minutes:',
  sampleStands: (link, status) => `${link} (${status.toLowerCase()})`,
  builtInInbox: {
    text: 'No mail service is set up here: mails are in the built-in inbox.',
    link: 'Open the inbox',
  },
  colon: ': ',
  sectionStatus: { Open: 'Open', Closed: 'Closed', Wait: 'Waiting list', Unknown: 'Not known' },
  watchStatus: {
    pending: 'Waits for your confirmation',
    active: 'Watching',
    snoozed: 'Snoozed',
    paused: 'Paused',
    suppressed: 'Stopped: mail does not arrive',
    unsubscribed: 'Ended',
  },
  campuses: campusNames.en,
  term: ({ season, year }) => `${seasons[season]} ${year}`,
  ago(ms) {
    const seconds = Math.max(0, Math.round(ms / 1000));
    if (seconds < 120) return `${seconds} s ago`;
    const minutes = Math.round(seconds / 60);
    if (minutes < 120) return `${minutes} min ago`;
    const hours = Math.round(minutes / 60);
    return hours < 48 ? `${hours} hours ago` : `${Math.round(hours / 24)} days ago`;
  },
  freshness: {
    checked: (ago) => `Checked ${ago}.`,
    held: (ago) =>
      `The university's list is incomplete just now. What stands here is from ${ago}; openings are still noticed.`,
    stale: (ago) => `Last checked ${ago}. That is longer ago than usual, and it may have changed.`,
    asleep: 'From the catalog. It is checked every 15 seconds as soon as somebody watches a section here.',
  },
  hours: {
    hint: (zone) =>
      `Times of the campus (${zone}). What opens outside of them is told afterwards, if it is still open.`,
    from: 'From',
    to: 'To',
  },
  section: {
    name: (number) => `Section ${number}`,
    index: 'Index',
    meets: 'Meets',
    noTimes: 'Times to be announced',
    instructors: 'Taught by',
    permission: 'Needs special permission',
    restrictions: 'Only for',
    twins: 'Also listed as',
    notes: 'Note',
    gone: 'This section is no longer in the catalog.',
    over: 'This term is over.',
  },
  search: {
    title: 'Find a section to watch',
    lead: 'When a seat opens you get one mail, usually within half a minute.',
    label: 'Course or index',
    hint: 'A code such as 01:198:111 or 198:111, an index of five digits, or words of the title.',
    term: 'Term',
    allTerms: 'All terms',
    campus: 'Campus',
    allCampuses: 'All campuses',
    button: 'Search',
    watch: 'Watch',
    watchNamed: (number, index) => `Watch section ${number}, index ${index}`,
    found: (courses) => counted(courses, 'course found', 'courses found'),
    more: 'There may be more. Add a word, or choose a term and a campus.',
    sections: (count, open) => `${counted(count, 'section', 'sections')}, ${open} open`,
    closedSections: (count) => `${counted(count, 'section', 'sections')} without a free seat`,
    onlyClosed: 'Only sections without a free seat',
    noneClosed: {
      title: 'All that was found is open',
      text: 'There is a free seat in each of these sections, so there is nothing to wait for. Search again without the choice to see them.',
    },
    none: {
      title: 'Nothing found',
      text: 'No course has that code, index or title. Try fewer words, or another term or campus.',
    },
    empty: {
      title: 'There is no catalog yet',
      text: "The university's catalog is still being read. Please come back in a few minutes.",
    },
    failing: {
      title: 'There is no catalog yet',
      text: "The university's catalog cannot be read at present. We keep trying; please come back later.",
    },
  },
  watch: {
    openNow: {
      title: 'It is open right now',
      text: 'You can register at once.',
      before: 'If you watch it as well, you get a mail when it opens again after it has closed.',
      watching: 'You get a mail when it opens again after it has closed.',
    },
    register: 'Go to registration',
    heading: 'Watch this section',
    lead: 'We write to you once each time it opens. First you get a mail to confirm that the address is yours.',
    email: 'Your e-mail address',
    emailHint:
      'Used for these mails only, and deleted some time after you stop, with our record of the mails sent.',
    hoursHeading: 'Mail me only at certain hours',
    hoursEmpty: 'Left empty, mail comes at any hour.',
    button: 'Watch this section',
    badEmail: 'This is not a complete e-mail address. Example: name@example.org.',
    badHours: 'Fill in both times, or neither.',
  },
  asked: {
    title: 'Almost done: look into your inbox',
    press: 'Open the link in the mail that we sent you and press “Yes, watch it”, and you are watching.',
    several: 'Asked for several sections? One mail confirms all that you have asked for.',
    already: 'Whoever watches this section already gets the link to their watch instead.',
    nothing: 'Nothing comes within some minutes? Look among the unwanted mails.',
    stoppedAll:
      'If you once stopped all our mails, we keep to that: open the link to your watch in an older mail and press “Mail me again”.',
    unverified: {
      title: 'You are watching',
      text: 'We write to you when it opens. The mail has a link to pause or stop.',
    },
    again: 'Wrong address? Enter it again',
  },
  confirm: {
    title: 'Watch this section?',
    text: 'Press the button, and we write to you when it opens. Until then nothing happens.',
    several: {
      title: 'Watch these sections?',
      text: 'They were asked for with your address. Press the button, and we write to you when one of them opens; on the next page you can stop each. Until then nothing happens.',
    },
    button: 'Yes, watch them',
  },
  manage: {
    title: 'Your watch',
    done: {
      confirm: 'Confirmed. You are watching this section.',
      pause: 'Paused. No mail comes until you resume.',
      resume: 'Resumed. You are watching again.',
      snooze: 'Snoozed.',
      wake: 'No longer snoozed.',
      hours: 'Your hours are saved.',
      always: 'Mail comes at any hour now.',
      most: 'Saved.',
      stop: 'Stopped. No more mails about this section.',
      undo: 'Taken back. You are watching again.',
      again:
        'Mail comes to you again. If a watch waits for your confirmation, a mail with the button is on its way.',
    },
    undoneTo: {
      pending: 'Taken back. It still waits for your confirmation.',
      other: 'Taken back. It stands as it did before.',
    },
    refused: 'That is not possible any more. The page shows how it stands now.',
    badSnooze: 'Nothing was changed: choose a day from tomorrow on, within a year.',
    badHours: 'Nothing was changed: fill in both times, or neither for any hour.',
    badMost: 'Nothing was changed: give a whole number from 1 to 1000, or nothing for no limit.',
    asked: 'We have sent you a mail. Press the button in it, and you are watching again.',
    askedTooOften:
      'You were asked several times today. Press the button in one of those mails, or try again tomorrow.',
    stillStopped:
      'Mail to your address is still stopped here. Ask whoever runs this service to look into it.',
    steps: {
      confirm: 'Yes, watch it',
      pause: 'Pause',
      resume: 'Resume',
      snooze: 'Snooze until then',
      wake: 'End the snooze',
      hours: 'Save hours',
      always: 'Any hour',
      most: 'Save',
      stop: 'Stop watching',
      undo: 'Undo',
      again: 'Mail me again',
    },
    stepFor: (step, section) => `${step}: ${section}`,
    pending: 'It begins when you confirm that the address is yours.',
    suppressed:
      'Mail to your address came back or was reported as unwanted, so none is sent. Once that is mended you can resume, and we ask you by mail.',
    stoppedAll: 'You have stopped all our mails, so none is sent to you, about this or anything else.',
    againFirst:
      'This watch has ended as well. Press “Mail me again” first; then you can take that back for a day, or watch the section anew.',
    ended: 'This watch has ended. You can watch the section anew.',
    undoUntil: (when) => `Pressed by mistake? Until ${when} you can take it back.`,
    pausedByLimit: 'It is paused because you have had as many mails as you wished. Resume to go on.',
    snooze: {
      heading: 'Snooze',
      hint: 'Keeps the watch, and holds its mails back for a while.',
      until: (when) => `No mail before ${when}.`,
      tomorrow: 'Until tomorrow',
      nextWeek: 'Until next week',
      date: 'Until this day',
    },
    hours: {
      heading: 'Hours',
      now: (from, to) => `Mail comes from ${from} to ${to}.`,
      always: 'Mail comes at any hour.',
    },
    most: {
      heading: 'How many mails',
      hint: 'After so many the watch pauses by itself.',
      label: 'At most (empty for no limit)',
      sent: (count, most) =>
        most === null
          ? `${counted(count, 'mail', 'mails')} so far.`
          : `${count} of ${counted(most, 'mail', 'mails')} so far.`,
      none: 'No limit.',
    },
    siblings: 'What else you watch',
  },
  notices: {
    noSection: {
      title: 'There is no such section',
      text: 'Check the index and the term, or search for the course.',
    },
    noLink: {
      title: 'This link leads to no watch',
      text: 'It may have been cut off, or the watch is long over. Use the link in the newest mail, or watch the section anew.',
    },
    tooMany: {
      title: 'Too many requests',
      text: 'Please wait a minute, then try again.',
    },
    foreign: {
      title: 'This came from another website',
      text: 'Nothing was done. Open the section here and fill in the form yourself.',
    },
    failed: {
      title: 'That did not work',
      text: 'Something is wrong on our side, not on yours. Please try again in a minute.',
    },
    sectionFull: {
      title: 'Too many watch this section',
      text: 'No more can be added just now. Try again later, or watch another section of the course.',
    },
    limited: {
      title: 'Not more just now',
      text: 'Too much was asked for from this network. Please try again later.',
    },
  },
};
