import type { DeliveryRow } from '../src/db/schema.ts';
import { type Status, statuses } from '../src/domain/status.ts';
import { bounceTold, type Entry, type Ledger } from './ledger.ts';

/**
 * What the engine promises, each by its name. A run that breaks one ends there. They look only at the tables and at the
 * providers' ledger, and know nothing of how the engine gets there.
 */
export const promises = {
  'told once': 'a round is accepted once, and nobody has two mails of one delivery',
  'no false no': 'what says that no mail exists is right',
  'no false yes': 'what says that a mail was accepted is right',
  'write ahead': 'nothing leaves before its row says that it may have left',
  'one key, one body': 'what leaves under one key is the same, byte for byte',
  'a round opens on knowledge': 'a new mail is made only when it is known that the last one did not stay',
  fence: 'what somebody holds is moved by them, by evidence, by consent, or after their time',
  leases: 'no call begins that may last longer than the lease of its mail',
  attempts: 'an attempt is counted once, when it ends; what was only put off is none',
  'dead letters': 'given up by us only after as many attempts as there are',
  'a reason to end':
    'what ends without a mail does so for a reason that is so, and not for a passing trouble',
  consent: 'no mail begins after its recipient has said no',
  'in time': 'no mail begins after it has expired',
  suspects: 'what has killed its worker twice is taken up alone, and given up after five times',
  'facts stand': 'when a mail was accepted, and when it arrived, is written once',
  'facts are told once': 'a source hears once that a mail was accepted, whoever found out',
  'the key window': 'what is in doubt leaves again only while its key is known, and to whom it went first',
  'a person is asked last': 'nobody has to decide what the engine can still find out',
  pace: 'all processes together stay below the limit of the provider',
  lanes: 'urgent mail does not wait behind other mail, and no mail waits for ever behind urgent mail',
  pauses: 'what is paused, throttled or down is left alone by every turn that begins after that',
  answers: 'what a provider answered is written down by whoever heard it',
  'a row in flight is left alone': 'an operator moves nothing that is on its way',
  'only what is signed': 'a webhook that the provider did not sign changes nothing',
  'webhooks are kept': 'a webhook that was answered is kept, and applied as soon as its mail is known',
  story: 'every change is told in the story of its delivery',
  counts: 'the counts are those of the rows',
  'nothing lost': 'what was answered as taken is there',
  healing: 'what the provider can still tell is found out, though no webhook came',
  'everything ends': 'after the troubles every delivery comes to its end',
  'an opening is real':
    'a section is told as open only by a list that names it anew, by a catalog where no list is fresh, or by a person',
  'an opening is told once': 'one opening is one open event, until a closing is recorded',
  'a closing is believed':
    'after two lists without it, an interval apart, and after half a list only when it is confirmed; then for sure',
  'nobody is forgotten':
    'who watched a section when it opened has a delivery, which ends with a mail or for a reason that is so',
  'who should not hear does not':
    'nobody is mailed about a seat who has not confirmed, rests, left, had enough, sleeps, or for whom it is gone',
  'last known': 'who was told is written down as told, once, and as not told with every closing',
  keys: 'an open event has the key that it is made of, its deliveries carry it, and each mail leaves under its own',
  'the view tells the same':
    "the view of an older system tells of each delivery in that system's words, and truly",
  'the feed is spared':
    'a list is asked for by one name, at its intervals, and not while the feed wants rest',
  retention: 'after thirty days open events are gone with their deliveries, and nothing before',
  'a list is right':
    'on the list of a run is who wants it and was not told of that period; deliveries come of lists, and of nothing else',
  'nobody is left over':
    'who is on the list of a run gets a mail, or is left out for a reason that is so; nothing is held back for ever',
  'a wish is heeded':
    'no newsletter begins for a wish that is not active, or for a user who wants none at all',
  'a run is heeded':
    'nothing of a run that is paused, halted or cancelled begins; what waits of it is held back, let go or ended with it',
  'a canary is heeded':
    'the rest of a run follows when its first mails have arrived, without too many bounces, and is untouched until then',
  'a click is one run':
    'who asks for the same run again gets none, unless by force, and is told the truth about it',
  'a plan is applied once': 'as it is, and in its time',
  'one period, one mail':
    'nobody is told of one period of one wish by two deliveries, whatever runs there were',
  'as it was composed':
    'a newsletter leaves word for word as it was composed, of its own wish and period, with its own way out, to where its user lives',
  'wishes are their own':
    'a link, an opt-out, a bounce and a new beginning change the wishes that they are about, and no others',
  'one review, one job':
    'one key is one job, and so is one version of a change list; who asks again is answered with it, and told in what they differ',
  'versions go on':
    'no version is made or asked for below the latest, nor above one that has succeeded unless as a rerun; each knows the one before it',
  'a job is whole':
    'a job comes with a delivery for everybody who was named, however they were spelt, or not at all; then nothing of it changes',
  'a job says how it stands':
    'it has succeeded exactly when all who must hear were told, and failed when one of them will not be; others hold nothing back',
  'a job ends': 'after the troubles every job has succeeded, or has failed and says why',
  'a reviewer hears once':
    'nobody is told of one version of a change by two deliveries, and nobody who was not named',
  'a review in its own words':
    'a mail tells of its own version, and of what has changed since the one before',
  'a second try':
    'only what is over, and was not told, is tried again; the story says why, and what ended twice in the same way is for an operator',
  'dead letters are shown':
    'who has not heard and never will is on the list of dead letters, and nobody else',
  'the same run': 'the same seed is the same run',
} as const;
export type PromiseName = keyof typeof promises;

export const columns = [
  ...([
    'seq',
    'id',
    'source',
    'occasion',
    'recipient',
    'lane',
    'status',
    'round',
    'lease',
    'due_at',
    'to_email',
  ] as const),
  ...(['sent_at', 'delivered_at', 'expires_at', 'first_possible_accept_at', 'resubmit_until'] as const),
  ...(['last_attempt_at', 'evidence', 'attempts', 'lapses', 'locked_by', 'account', 'last_error'] as const),
  ...(['provider_message_id', 'content_hash'] as const),
] as const;
export type WatchedRow = Pick<DeliveryRow, (typeof columns)[number]> & {
  /** The recipient, or somebody for them, wants no mail of this source. */
  said_no: 0 | 1;
  /** They left a watch by the link in a mail of the other kind, and by no line of the list. */
  left_the_other: 0 | 1;
  is_frozen: 0 | 1;
  /** The last event of its story. */
  told_up_to: number | null;
};

export type Violate = (promise: PromiseName, sentence: string) => void;

/** Clocks of processes differ by so much at most. */
export const skewMs = 2_000;

interface StepFacts {
  who: string;
  now: number;
  attemptsMax: number;
  /** Attempts of this round that were counted, by our own count. */
  counted: number;
  /** What another system said of it was never proved. */
  isImported: boolean;
}

/** One row, before and after a commit by `who`. */
export function checkStep(
  before: WatchedRow,
  row: WatchedRow,
  { who, now, attemptsMax, counted, isImported }: StepFacts,
  violate: Violate,
): void {
  const isBegun = isBeginning(before, row);
  // Who has moved since the last round may have said no at another address only.
  const { said_no: saidNo } = before.to_email === row.to_email ? before : row;
  if (isBegun && saidNo === 1) violate('consent', `#${row.seq} was begun after its recipient said no`);
  if (isBegun && row.expires_at !== null && row.expires_at <= now - skewMs) {
    violate('in time', `#${row.seq} was begun ${now - row.expires_at} ms after it had expired`);
  }
  // Evidence of a later round can come only from before a fail-over.
  if (isBegun && row.round > before.round && before.round > 0 && before.evidence < 4 * before.round + 2) {
    violate(
      'a round opens on knowledge',
      `#${row.seq}: round ${row.round} while ${before.round} may have arrived`,
    );
  }
  for (const fact of ['sent_at', 'delivered_at'] as const) {
    const was = before[fact];
    const is = row[fact];
    // Of several times for one fact the earliest counts, whichever was heard first.
    if (was !== null && (is === null || is > was) && !isImported) {
      violate('facts stand', `#${row.seq}: ${fact} was ${was}, and is ${is}`);
    }
  }
  if (row.lease < before.lease) violate('fence', `#${row.seq}: lease ${before.lease} became ${row.lease}`);
  const isHeld = before.locked_by !== null && (before.due_at ?? 0) > now + skewMs;
  // What begins a send raises the rank as well, and is no evidence.
  const isEvidence = row.evidence > before.evidence && (row.evidence >= 1_000_000 || row.evidence % 4 !== 0);
  const isOthers = isHeld && before.locked_by !== who && !isEvidence;
  const hasMoved = row.status !== before.status || row.lease !== before.lease;
  if (isOthers && hasMoved && row.status !== 'skipped_unsubscribed' && row.status !== 'suppressed') {
    violate(
      'fence',
      `#${row.seq} was ${before.status} in the hands of ${before.locked_by}, and ${who} moved it`,
    );
  }
  const isGivenUp = before.status === 'sending' && row.status === 'failed_permanent';
  const isRefusedForNow = (row.last_error ?? '').includes('refuse_for_now');
  if (isGivenUp && isRefusedForNow && row.evidence === before.evidence && counted < attemptsMax) {
    violate('dead letters', `#${row.seq} was given up after ${counted} of ${attemptsMax} attempts`);
  }
}

/** An attempt ends when a row leaves `sending`, whoever ends it; what was only put off is none. */
export function checkAttemptEnds(
  before: WatchedRow,
  row: WatchedRow,
  isReliable: boolean,
  violate: Violate,
): void {
  if (before.status !== 'sending' || row.status === 'sending' || row.round !== before.round) return;
  const isInDoubtBecause = (code: string) =>
    row.status === 'reconciling' && (row.last_error ?? '').includes(`"${code}"`);
  const isConcurrent = isInDoubtBecause('concurrent');
  // We have seen that another is on its way, and asked nobody.
  const isUnasked = isInDoubtBecause('key_in_flight');
  const ended = row.status === 'pending' || isConcurrent || isUnasked ? 0 : 1;
  // Who tries several times within one call may have ended one of them in earnest.
  const isEither = isConcurrent && isReliable && row.attempts === before.attempts + 1;
  if (row.attempts !== before.attempts + ended && !isEither) {
    const was = `${before.attempts} attempts became ${row.attempts}`;
    violate('attempts', `#${row.seq} went from sending to ${row.status}, and ${was}`);
  }
}

/** Nobody is asked to decide, and nobody is believed who says "absent", while there is a better way. */
export function checkDoubt(
  before: WatchedRow,
  row: WatchedRow,
  facts: { now: number; hasKey: boolean; absentFrom: number },
  violate: Violate,
): void {
  const isSameDoubt = before.first_possible_accept_at !== null && row.first_possible_accept_at !== null;
  if (isSameDoubt && (row.resubmit_until ?? 0) > (before.resubmit_until ?? Infinity)) {
    violate('the key window', `#${row.seq} may leave again for longer than when its doubt began`);
  }
  if (before.status !== 'reconciling' || row.evidence !== before.evidence) return;
  const until = before.resubmit_until;
  if (row.status === 'needs_review' && until !== null && until > facts.now + skewMs) {
    violate(
      'a person is asked last',
      `#${row.seq} needs a person ${until - facts.now} ms before its key is forgotten`,
    );
  }
  const { absentFrom } = facts;
  if (row.status === 'failed_transient' && facts.now + 2 * skewMs < absentFrom) {
    violate(
      'no false no',
      `#${row.seq} is called absent ${absentFrom - facts.now} ms before that can be known`,
    );
  }
  if (row.status === 'needs_review' && facts.now + 2 * skewMs < absentFrom) {
    violate('a person is asked last', `#${row.seq} needs a person ${absentFrom - facts.now} ms too early`);
  }
  const isBarred = facts.hasKey && until === null && before.round > 0 && before.evidence > 0;
  if (isBarred && row.status === 'failed_transient') {
    violate('the key window', `#${row.seq} is called absent, although something else holds its key`);
  }
}

/** What the row itself must have, whatever came before. */
export function checkRow(before: WatchedRow, row: WatchedRow, isImported: boolean, violate: Violate): void {
  const { seq, status, round } = row;
  const mayHaveLeft = statuses[status].mailExists === 'perhaps';
  if (mayHaveLeft && round > 0 && row.is_frozen === 0 && !isImported) {
    violate('write ahead', `#${seq} is ${status}, and its mail is not kept`);
  }
  if (status === 'sending' && round > before.round && row.attempts > 0) {
    violate('attempts', `#${seq}: round ${round} begins with ${row.attempts} attempts`);
  }
  const isTold = status === 'claimed' || status === 'sending' || row.told_up_to !== before.told_up_to;
  if (status !== before.status && !isTold) {
    violate('story', `#${seq} went from ${before.status} to ${status}, and its story does not say so`);
  }
  // Who leaves a watch by the link in a mail of one kind has those of the other left to the last check: they go on if that is taken back.
  const isLeftToCheck = row.left_the_other === 1;
  const isNewNo = row.said_no === 1 && before.said_no === 0 && !isLeftToCheck;
  if (isNewNo && waits(status) && waits(before.status)) {
    violate('consent', `#${seq} still waits as ${status} after its recipient said no`);
  }
  const isStopped = waits(before.status) && row.evidence === before.evidence;
  // Whose users are asked about for each round anew, theirs may live at another address than the row says.
  const mayHaveMoved = row.source === 'newsletters' && round > 0 && status === 'suppressed';
  const isEnded = status === 'skipped_unsubscribed' || (status === 'suppressed' && !mayHaveMoved);
  if (isStopped && row.said_no === 0 && isEnded) {
    violate('consent', `#${seq} is ${status}, and nobody had said no`);
  }
}

const waits = (status: Status) =>
  status === 'pending' || status === 'failed_transient' || status === 'claimed';

/** What the row says, beside what is so. */
export function checkTruth(row: WatchedRow, ledger: Ledger, violate: Violate): void {
  const all = ledger.of(row.id);
  const isInvented = ledger.invented.has(row.id);
  if (all.length === 0 && (row.status === 'sent' || row.status === 'delivered') && !isInvented) {
    violate('no false yes', `#${row.seq} is ${row.status}, but nobody accepted it`);
  }
  // All the rest is about mails that there are.
  if (all.length === 0) return;
  // What is said of a mail that was denied is taken for word of the one that went out in its place.
  const denied = new Set(all.filter(({ isDenied }) => isDenied).map(({ round }) => round));
  for (const round of denied) {
    const ofRound = all.filter((entry) => entry.round === round);
    // Nobody can help it that it goes out once more; twice more takes another one who denies it.
    if (ofRound.length > 1 + ofRound.filter(({ isDenied }) => isDenied).length) {
      violate('told once', `#${row.seq}: more mails than were denied (${namesOf(ofRound)})`);
    }
  }
  const mine = all.filter(({ round }) => !denied.has(round));
  const rounds = new Set(mine.map(({ round }) => round));
  if (rounds.size < mine.length) {
    violate('told once', `#${row.seq}: a round was accepted twice (${namesOf(mine)})`);
  }
  const live = mine.filter(ledger.isLive);
  if (live.length > 1) violate('told once', `#${row.seq}: ${live.length} live mails (${namesOf(live)})`);
  if (saysNo(row) && live.length > 0) {
    violate('no false no', `#${row.seq} is ${row.status}, but ${namesOf(live)} is live`);
  }
  const saysYes = statuses[row.status].mailExists === 'yes';
  if (saysYes && mine.length > 0 && mine.length === all.length && mine.every(bounceTold) && !isInvented) {
    violate(
      'no false yes',
      `#${row.seq} is ${row.status}, although it was told that ${namesOf(mine)} bounced`,
    );
  }
}

export function saysNo({ status, sent_at, first_possible_accept_at }: SaysNoRow): boolean {
  const { mailExists } = statuses[status];
  return (
    mailExists === 'no' ||
    (mailExists === 'see sent_at' && sent_at === null && first_possible_accept_at === null)
  );
}

type SaysNoRow = { status: Status } & Pick<WatchedRow, 'sent_at' | 'first_possible_accept_at'>;

/** Bytes may leave from now on: a begun send, or a second submission of what is in doubt. */
export function isBeginning(before: WatchedRow | undefined, row: WatchedRow): boolean {
  if (!before || (before.last_attempt_at === row.last_attempt_at && before.status === row.status))
    return false;
  if (row.status === 'sending') return before.status !== 'sending' || before.lease !== row.lease;
  // Clocks that are set back move all times of what is in doubt by as much, that of its beginning among them.
  const backMs = (before.first_possible_accept_at ?? 0) - (row.first_possible_accept_at ?? 0);
  const isMoved = backMs > 0 && backMs === (before.last_attempt_at ?? 0) - (row.last_attempt_at ?? 0);
  return row.status === 'reconciling' && before.status === 'reconciling' && !isMoved;
}

/** For the reader of the story. */
export function changeOf(before: WatchedRow | undefined, row: WatchedRow): string {
  if (!before) return `is ${row.status}`;
  if (before.status !== row.status) return `${before.status} → ${row.status}`;
  if (isBeginning(before, row)) return 'may be submitted again';
  return before.lease !== row.lease ? 'is taken up' : '';
}

const namesOf = (entries: readonly Entry[]) =>
  entries.map(({ messageId, round, account }) => `${messageId} of round ${round} at ${account}`).join(', ');
