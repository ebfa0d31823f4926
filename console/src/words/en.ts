import { type Status, statuses, statusNames } from '../../../src/domain/status.ts';
import type { Account } from '../../../src/samples/account.ts';
import type { Killing } from '../../../src/samples/killing.ts';
import { chaosEn, inboxEn } from './en/inbox.ts';
import { suppressionImportEn, suppressionsEn, templatesEn } from './en/lists.ts';
import { reviewsEn } from './en/reviews.ts';
import { runsEn } from './en/runs.ts';
import { seatsEn } from './en/seats.ts';
import { sourcesEn } from './en/sources.ts';
import { manyEn as many } from './many.ts';

const either = new Intl.ListFormat('en', { type: 'disjunction' });

type Killed = Pick<Killing, 'killedPid' | 'pid' | 'onTheWire' | 'heard' | 'notLeft'>;

/** English. */
export const en = {
  name: 'English',
  nav: {
    home: 'Home',
    deliveries: 'Deliveries',
    deadLetters: 'Dead letters',
    review: 'Needs review',
    seats: 'Course seats',
    runs: 'Newsletters',
    reviews: 'Code reviews',
    suppressions: 'Suppressions',
    templates: 'Templates',
    inbox: 'Inbox',
    audit: 'Audit',
    menu: 'Menu',
    skip: 'Skip to the content',
    signOut: 'Sign out',
    language: 'Language',
  },
  signIn: {
    title: 'Sign in',
    lead: 'Show an operator’s key or a read key once; a cookie stands for it for eight hours.',
    key: 'Key',
    button: 'Sign in',
    help: 'It is one of those in OPERATOR_API_KEY or READ_API_KEY of the server.',
  },
  number: (count: number) => count.toLocaleString('en'),
  /** What each status means, for whoever points at it. */
  statusMeanings: Object.fromEntries(
    statusNames.map((status) => [status, statuses[status].meaning]),
  ) as Record<Status, string>,
  meanings: {
    good: 'good',
    'in hand': 'in hand',
    'needs a person': 'needs a person',
    'stopped on purpose': 'stopped on purpose',
  },
  home: {
    title: 'Home',
    map: 'The life of a delivery',
    mapLead: 'How many are where now. The thicker an arrow, the more have passed in the last hour.',
    mailExists: { no: 'no mail can exist', perhaps: 'a mail may exist', yes: 'a mail was accepted' },
    moved: (count: number, from: string, to: string) =>
      `${many(count, 'delivery', 'deliveries')} went from ${from} to ${to} in the last hour.`,
    noneMoved: (from: readonly string[], to: readonly string[]) =>
      `Nothing went from ${either.format(from)} to ${either.format(to)} in the last hour.`,
    stays: (status: string) => `Put off until later, it stays ${status}; that is not counted.`,
    person: 'What needs a person',
    nothing: 'Nothing. Whatever is under way is being looked after.',
    needsReview: (count: number) =>
      `${many(count, 'delivery', 'deliveries')} of which nobody knows whether a mail exists`,
    deadLetters: (count: number) => `${many(count, 'delivery', 'deliveries')} given up`,
    paused: (what: string, reason: string, by: string) => `${what} is paused by ${by}: ${reason}`,
    everything: 'Everything',
    provider: 'Provider',
    /** What people call a provider, where its name says little. */
    providerNames: { capture: 'The built-in inbox' } as Readonly<Record<string, string>>,
    providerUp: (name: string) => `${name} is taking mail.`,
    providerSwitched: (name: string, switches: readonly string[]) =>
      `${name} does something wrong on purpose: ${switches.join(', ')}.`,
    providerSwitches: 'See the switches',
    rate: 'Rate',
    rateOf: (rate: number | null) => (rate === null ? 'without a limit' : `at most ${rate} a second`),
    circuit: 'Circuit',
    circuitClosed: 'closed: mail leaves',
    circuitOpen: 'open: nothing is handed over, and it is asked again from time to time',
    restsUntil: 'left in peace until',
    quota: 'Quota',
    quotaUsed: (used: number, of: number, per: 'day' | 'month') =>
      `${used.toLocaleString('en')} of ${of.toLocaleString('en')} ${per === 'day' ? 'today' : 'this month'}`,
    quotaUsedUp: 'It is used up: the provider may take no more.',
    noQuota: 'none is known (MAIL_QUOTA_PER_DAY, MAIL_QUOTA_PER_MONTH)',
    /** Why the circuit is open; what has no words here is told as it is. */
    troubles: {
      failing: 'several mails in a row got no clear answer',
      throttled: 'it says that we are too fast',
      over_quota: 'its quota is used up',
      unauthorised: 'it refuses our key or our sender',
      unreachable: 'it cannot be reached',
    } as Readonly<Record<string, string>>,
    providerDown: (name: string, why: string) =>
      `${name} is not asked at present: ${why}. Nothing is lost, and no attempt is counted.`,
    providerPaused: (name: string) => `${name} has asked for patience.`,
    feeds: 'Section feed',
    feedFresh: (list: string, open: number) => `${list}: ${many(open, 'section', 'sections')} open`,
    feedNone: (list: string) => `${list}: no list yet`,
    feedAsked: 'first asked for',
    feedStale: 'no list for more than a minute',
    feedFailures: (count: number, cause: string) =>
      `${count === 1 ? 'the last try' : `the last ${count} tries`} failed${cause === '' ? '' : ` (${cause})`}`,
    /** By the code of what went wrong; one that is not here says it itself. */
    feedCauses: {
      unreachable: 'it cannot be reached',
      timed_out: 'no answer in time',
      stalled: 'the answer broke off',
      too_large: 'the answer is too large',
      unknown_term: 'no such term',
    } as Readonly<Record<string, string>>,
    feedHeld: 'the lists lack too much to be believed',
    sample: 'a sample, not a real campus',
    throughput: 'Mails accepted, a minute',
    latency: 'From asked for to accepted, in seconds',
    latencyMiddle: 'half',
    latencySlow: '99 of 100',
    noHistory: 'Nothing has been sent in the last hour.',
    lost: 'The server, or its database, does not answer. What is here is how it was; this page tries again by itself.',
  },
  deliveries: {
    title: 'Deliveries',
    search: 'Find by address, number, key, message id, course, change list or period',
    section: (text: string) => `Sections of ${text}, their openings and deliveries`,
    find: 'Find',
    status: 'Status',
    source: 'Source',
    all: 'all',
    who: 'Who and what',
    state: 'Status',
    when: 'Asked for',
    attempts: 'Attempts',
    more: 'Older',
    newest: 'Newest',
    empty: 'No delivery is here.',
    emptyFiltered: 'No delivery matches. Take away a filter.',
    /** By what was looked for: only what is found by its beginning can be looked for by less of it. */
    emptySought: (by: 'number' | 'address' | 'beginning') =>
      ({
        number: 'No delivery here has this number, and no occasion begins with it. Is a filter set?',
        address: 'No delivery here went to this address. Its beginning, up to the @, finds others like it.',
        beginning: 'No delivery matches. Take away a filter, or look for less of it.',
      })[by],
    scanned: 'Nothing in this part of the list; go on with older ones.',
  },
  delivery: {
    story: 'Story',
    mail: 'Mail',
    next: 'Next',
    waited: (text: string) => `${text} later`,
    evidence: 'Evidence',
    html: 'As it looks',
    text: 'Text',
    headers: 'Headers',
    round: (round: number) => `Round ${round}`,
    noMail: 'There is no mail yet: it is written at the first attempt.',
    mailNeverWritten: 'No mail was written: it was stopped before the first attempt.',
    mailNotKept: 'No mail of it is kept here.',
    copy: 'Copy',
    copied: 'Copied',
    requeue: 'Send again',
    requeueWhat: 'It is put back and sent when a worker takes it, in a new round under a new key.',
    resolveSent: 'It was sent',
    resolveSentWhat: 'It counts as sent, and nothing more is sent.',
    resolveNotSent: 'It was not sent',
    resolveNotSentWhat: 'It is sent again when a worker takes it, under the same key.',
    resolveClosed: 'Nobody will know',
    resolveClosedWhat: 'It is closed as given up, with the doubt kept on it.',
  },
  work: {
    deadLetters: 'Dead letters',
    deadLettersLead: 'Given up for good. Send again what can work now; the reason stays in each story.',
    noDeadLetters:
      'No dead letters: nothing has been given up. What no further try can mend would wait here, to be sent again.',
    seeTransient: 'See what failed and is being tried again',
    review: 'Needs review',
    reviewLead: 'Nobody can find out whether these were accepted. Ask the provider, then say what you found.',
    noReview:
      'Nothing needs a decision: of every mail it is known whether it was accepted, or it is being found out. What neither a key, a look-up nor a webhook can settle would wait here.',
    seeReconciling: 'See what is being found out now',
    choose: 'Choose',
    chooseAll: 'Choose all on this page',
    chosen: (count: number) => `${many(count, 'delivery', 'deliveries')} chosen`,
    again: (count: number) => `Send again to ${many(count, 'person', 'people')}`,
  },
  verb: {
    reason: 'Why',
    reasonHelp: 'It is kept in the story and in the audit log.',
    reasonOptional: 'Why, if you like',
    reasonAudit: 'It is kept in the audit log.',
    cancel: 'Cancel',
    done: (count: number) => `Done for ${many(count, 'delivery', 'deliveries')}.`,
    notDone: (count: number) => `${many(count, 'delivery is', 'deliveries are')} left as they were:`,
  },
  pause: {
    title: 'All mail',
    button: 'Pause all mail',
    what: 'Within seconds nothing new leaves. What is on the wire finishes, what waits is kept, and nothing is lost.',
    resume: 'Let mail leave again',
    resumeOne: 'Let it go on',
    resumeWhat:
      'What waits begins to leave within seconds, the most urgent first, as fast as the provider takes it.',
    paused: 'All mail is paused',
  },
  firstMinute: {
    title: 'The first minute',
    lead: 'Nothing is configured, so everybody here is a sample, and no mail leaves this machine. Seats open by themselves every half minute; do something more:',
    inbox: 'See the mails arrive.',
    buttons: {
      seat: 'Open a seat',
      newsletter: 'Send the monthly newsletter',
      review: 'Post a review',
      kill: 'Kill the worker in mid-send',
    },
    did: {
      seat: ({ indexNumber, title }: { indexNumber: string; title: string }) =>
        `Section ${indexNumber}, ${title}, has a free seat. The next poll sees it, and whoever watches it is told: within half a minute.`,
      newsletter: ({ periodKey, people }: { periodKey: string; people: number }) =>
        `${many(people, 'citizen is', 'citizens are')} being told how their town did in ${runsEn.periodName(periodKey)}.`,
      review: ({ changelistId, title, people }: { changelistId: string; title: string; people: number }) =>
        `${many(people, 'reviewer is', 'reviewers are')} being told of ${changelistId}, ${title}.`,
    },
    killing: 'A notice goes out to 48 people; the worker will be killed in the middle of it …',
    /** When it was dead: what had been heard of, what was on the wire and what had not left are all. */
    killed: ({ killedPid, pid, onTheWire, heard, notLeft }: Killed) =>
      `Process ${killedPid} was killed (SIGKILL) with ${many(onTheWire, 'mail', 'mails')} on the wire; ${heard} had been accepted before${notLeft > 0 ? `, and ${notLeft} had not left yet` : ''}. ${pid === null ? 'Another is being started.' : `Process ${pid} has taken over.`}`,
    account: ({ people, told, underWay, notToBeTold, lost }: Account) =>
      [
        `${people} asked for: ${told} accepted`,
        ...(underWay > 0 ? [`${underWay} still under way`] : []),
        ...(notToBeTold > 0 ? [`${notToBeTold} not to be told`] : []),
        ...(lost !== null ? [`${lost} lost`] : []),
      ].join(', '),
    twice: (twice: number, isOver: boolean) => `${twice} twice${isOver ? '' : ' so far'}.`,
    open: (underWay: number, unheard: number) =>
      [
        ...(underWay > 0 ? [`the ${underWay} under way`] : []),
        ...(unheard > 0 ? [`${unheard} of the accepted, whose answer the dead process never heard`] : []),
      ].join(', and '),
    waiting: (open: string, seconds: number) =>
      `Not settled yet: ${open}. Nothing is sent on a guess: ${seconds > 0 ? `in ${seconds} s the lease of the dead process is over, and what it held is looked into.` : 'they are being looked into.'}`,
    settled: 'Everything is settled: nothing is under way, and nothing is in doubt.',
  },
  suppressions: suppressionsEn,
  import: suppressionImportEn,
  templates: templatesEn,
  inbox: inboxEn,
  chaos: chaosEn,
  audit: {
    title: 'Audit',
    lead: 'What was changed, by whom and why.',
    empty: 'Nothing has been changed yet.',
    who: 'Who',
    what: 'What',
    why: 'Why',
    when: 'When',
    answer: 'Answer',
    unanswered: 'no answer',
  },
  sources: sourcesEn,
  seats: seatsEn,
  runs: runsEn,
  reviews: reviewsEn,
  broken: { title: 'This could not be shown', again: 'Try again' },
  loading: 'Loading …',
  noSuch: {
    delivery: 'There is no such delivery.',
    mail: 'There is no such mail.',
    run: 'There is no such run.',
    review: 'There is no such review.',
    section: 'There is no such section.',
  },
  noPage: { title: 'There is no such page', home: 'Go home' },
  readOnly: 'A read key looks, and changes nothing.',
  ago: { now: 'now', seconds: 's ago', minutes: 'min ago', hours: 'h ago', days: 'd ago' },
};
