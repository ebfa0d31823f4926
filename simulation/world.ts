import { type Consent, type ConsentParts, createConsent } from '../src/consent/consent.ts';
import type { Database } from '../src/db/database.ts';
import type { Policy } from '../src/domain/policy.ts';
import type { Fact } from '../src/outbox/facts.ts';
import { createOutbox, type Outbox } from '../src/outbox/outbox.ts';
import type { Source } from '../src/sources/source.ts';
import { createManualClock, type ManualClock } from '../src/std/clock.ts';
import type { Ids } from '../src/std/ids.ts';
import { silentLog } from '../src/std/log.ts';
import { isCampusSeed } from './campus/campus-seeds.ts';
import type { CampusWatch } from './campus/campus-watch.ts';
import { type Chance, createChance, hourMs } from './chance.ts';
import { isCivicSeed } from './civic/civic-seeds.ts';
import type { CivicWatch } from './civic/civic-watch.ts';
import type { Cut } from './cut.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { createMailman, type Mailman } from './mailman.ts';
import { isReviewSeed } from './reviews/review-seeds.ts';
import type { ReviewWatch } from './reviews/review-watch.ts';
import { createService, type ProviderKind, type Service } from './service.ts';
import { BookkeepingFailed, createPolicies, type SourceName } from './sources.ts';
import type { Stage } from './stage.ts';
import { createStory, type Story } from './story.ts';
import { createTally, type FaultName, type Tally } from './tally.ts';
import { createWatch, type Watch } from './watch.ts';

/** All that the simulated processes share: time, dice, database, providers, and the watch over them. */
export interface World {
  chance: Chance;
  clock: ManualClock;
  story: Story;
  tally: Tally;
  db: Database;
  namespace: string;
  policies: Readonly<Record<SourceName, Policy>>;
  ledger: Ledger;
  mailman: Mailman;
  watch: Watch;
  /** In the runs with a real source: who looks at its tables, and the sources for those who are not processes. */
  beside: {
    campus: CampusWatch | null;
    civic: CivicWatch | null;
    reviews: ReviewWatch | null;
    sources: readonly Source[];
  };
  /** By address in lower case: those that no provider takes, whenever it is asked, and those that are always full. */
  mailboxes: Map<string, 'refused' | 'full'>;
  /** For those who are not processes of the engine: operators, people. */
  outbox: Outbox;
  consent: Consent;
  /** The account that a process uses which starts now. */
  service(): Service;
  switchAccount(): void;
  isReliable: boolean;
  /** How long mails and addresses are kept after their end. */
  retentionMs: number;
  mood: Mood;
  isTroubled(): boolean;
  endTroubles(): void;
  faultRate(): number;
  /** Everything that goes wrong asks here first, and is counted; what is left out of the run is answered with false. */
  mayStrike(fault: FaultName): boolean;
  isDiskFull(): boolean;
  fillDisk(ms: number): void;
  /** Every draft says something else. */
  nextDraft(): number;
  /** While it is used up mails are taken, and fail afterwards. */
  setQuota(to: 'used up' | 'left'): void;
  /** Facts that a source has heard; they count when the transaction commits. */
  told(facts: readonly Fact[]): void;
  /** What consent hears goes past here, and counts as well when it commits. */
  overheard(consent: Consent): Consent['learn'];
  /** Runs what commits, one at a time, and looks at what it changed before anybody else commits. */
  commit<T>(who: string, work: () => Promise<T>): Promise<T>;
  turnTo(step: number): void;
}

/** What a run is mostly about: some mistakes need several of the same kind. */
const moods = {
  ordinary: 45,
  /** Many mails at once, little that may leave, and a provider that is down now and then. */
  crowded: 5,
  /** Databases fail over all the time. */
  shaky: 14,
  /** Nobody hears of anything, for days. */
  deaf: 18,
  /** Everybody stands still, now and then, until something is over, or nearly so. */
  sleepy: 18,
};
export type Mood = keyof typeof moods;

export const environment = 'simulation';

export function createWorld(
  seed: number,
  { db, touched, namespace }: Stage,
  cut: Cut,
  struck: string[],
): World {
  const chance = createChance(seed);
  const clock = createManualClock();
  const story = createStory(() => clock.monotonic());
  const tally = createTally();
  let isTroubled = true;
  let diskFullUntil = -1;
  let isOverQuota = false;
  let drafts = 0;
  let step = 0;
  let faultsInStep = 0;
  const isReal = isCampusSeed(seed) || isCivicSeed(seed) || isReviewSeed(seed);
  const mood = isReal ? 'ordinary' : chance.weighted(moods);
  const rates = isReal ? [0, 0.005, 0.01, 0.02] : [0, 0.02, 0.05, 0.1];
  const rate = chance.one(mood === 'sleepy' ? [0.05, 0.1] : rates);
  const kind: ProviderKind = {
    hasKey: chance.isTrue({ ordinary: 0.4, crowded: 0.5, shaky: 0.85, deaf: 0.75, sleepy: 0.6 }[mood]),
    canLookUp: chance.isTrue(mood === 'sleepy' ? 0.85 : 0.5),
    isLiar: chance.isTrue(mood === 'shaky' ? 0.35 : 0.12),
    canTell: chance.isTrue(mood === 'deaf' ? 0.1 : 0.4),
    // Shorter than the lease of the policy, and longer: then the call decides about the lease.
    longestCallMs: chance.one([20_000, 100_000]),
    ratePerSecond: chance.one(mood === 'crowded' ? [1, 20] : [null, null, 1, 5]),
    concurrency: mood === 'crowded' ? 20 : 2,
    isDownOften: mood === 'crowded' && chance.isTrue(0.4),
    // Doubts that last longer than a day need a provider of whom nobody hears.
    loses: { ordinary: chance.one([0.05, 0.2, 0.2]), crowded: 0.05, shaky: 0.5, deaf: 0.9, sleepy: 0.3 }[
      mood
    ],
    isSlow: mood === 'sleepy' ? 0.8 : chance.one([0.1, 0.25, 0.8]),
    isHarsh: chance.isTrue(0.3),
  };
  // Spec 000's patient sender; it tries again by itself only where there are keys.
  const isReliable = chance.isTrue(0.4);
  const retentionMs = chance.isTrue(0.1) ? 6 * hourMs : 30 * 24 * hourMs;
  const policies = createPolicies(chance);
  const mailman = createMailman({
    chance,
    loses: mood !== 'ordinary' && mood !== 'crowded' ? 0.9 : chance.one([0.05, 0.15, 0.15, 0.9]),
    // A provider that mixes up its mails does so often.
    strays: seed % 8 === 5 ? 0.5 : 0.05,
  });
  const ledger = createLedger({
    ...{ chance, clock, story, isTroubled: () => isTroubled },
    onAccepted: mailman.announce,
    isOverQuota: () => isOverQuota,
    isFull: (address) => mailboxes.get(address.toLowerCase()) === 'full',
    numberOf: (id) => watch.rows.find((row) => row.id === id)?.seq,
  });
  const beside: World['beside'] = { campus: null, civic: null, reviews: null, sources: [] };
  const mailboxes: World['mailboxes'] = new Map();
  const watch: Watch = createWatch({
    db,
    touched,
    clock,
    story,
    ledger,
    mailman,
    tally,
    policies,
    kind,
    isReliable,
    beside,
  });

  let uncommitted: Fact[] = [];
  let learntUncommitted: Fact[] = [];
  let last: Promise<unknown> = Promise.resolve();
  function commit<T>(who: string, work: () => Promise<T>): Promise<T> {
    const run = last.then(async () => {
      uncommitted = [];
      learntUncommitted = [];
      const result = await work().catch((error: unknown) => {
        if (error instanceof BookkeepingFailed) {
          watch.violate('facts are told once', 'what a source could not book undid what had happened');
        }
        throw error;
      });
      watch.told(uncommitted);
      watch.learnt(learntUncommitted);
      await watch.look(who);
      return result;
    });
    last = run.catch(() => {});
    return run;
  }

  function mayStrike(fault: FaultName): boolean {
    faultsInStep += 1;
    const name = `${step}.${faultsInStep}`;
    if (cut.faults.has(name)) return false;
    struck.push(name);
    tally.fault(fault);
    return true;
  }

  const serviceOf = (account: string) =>
    createService({
      ...{ account, kind, chance, clock, ledger, watch, story, tally, mayStrike, mailboxes },
      isTroubled: () => isTroubled,
      isOverQuota: () => isOverQuota,
    });
  let accounts = 1;
  let service = serviceOf('account1');
  const consent = consentIn({ chance }, { db, clock });
  const overheard =
    ({ learn }: Consent): Consent['learn'] =>
    (facts, tx) => {
      learntUncommitted.push(...facts);
      return learn(facts, tx);
    };
  const listeners = {
    consent: overheard(consent),
    source: (name: string) => beside.sources.find((each) => each.name === name)?.changed ?? tellUs,
  };
  const tellUs = async (facts: readonly Fact[]) => told(facts);
  const told = (facts: readonly Fact[]) => {
    uncommitted.push(...facts);
  };
  const has = (isTrue: boolean, word: string) => `${isTrue ? '' : 'no '}${word}`;
  story.tell(
    [
      `seed ${seed}: ${has(kind.hasKey, 'keys')}, ${has(kind.canLookUp, 'look-up')}, ${has(kind.canTell, 'questions')}`,
      ...(kind.isLiar ? ['look-ups that lie'] : []),
      ...(isReliable ? ['inner retries'] : []),
      `${rate * 100} % of calls struck`,
    ].join(', '),
  );

  return {
    ...{
      chance,
      clock,
      story,
      tally,
      db,
      namespace,
      policies,
      ledger,
      mailman,
      watch,
      consent,
      beside,
      mailboxes,
    },
    outbox: createOutbox({ db, clock, log: silentLog, namespace, listeners }),
    service: () => service,
    switchAccount() {
      accounts += 1;
      service = serviceOf(`account${accounts}`);
      story.tell(`new processes use account${accounts} from now on`);
    },
    ...{ isReliable, retentionMs, mood },
    isTroubled: () => isTroubled,
    endTroubles() {
      isTroubled = false;
      story.tell('the troubles are over');
    },
    faultRate: () => (isTroubled ? rate : 0),
    mayStrike,
    isDiskFull: () => isTroubled && clock.monotonic() < diskFullUntil,
    fillDisk(ms) {
      diskFullUntil = clock.monotonic() + ms;
      story.tell(`the disk is full for ${ms / 1000} s`);
    },
    setQuota(to) {
      isOverQuota = to === 'used up';
      story.tell(`the provider's quota is ${to}`);
    },
    nextDraft: () => ++drafts,
    ...{ told, overheard },
    commit,
    turnTo(next) {
      step = next;
      faultsInStep = 0;
      chance.turnTo(next);
    },
  };
}

/** What the links in mails are signed with. */
export const linkSecrets = ['simulation'];
const links = { secrets: linkSecrets, baseUrl: () => 'https://mail.example.org' };

export function idsOf(chance: Chance): Ids {
  const digits = () => String(chance.between(0, 99_999_999_999)).padStart(11, '0');
  return { uuid: () => '', secret: () => digits() + digits() };
}

export function uuidBy({ between }: Chance): string {
  return `00000000-0000-4000-8000-${String(between(0, 999_999_999_999)).padStart(12, '0')}`;
}

/** As a process has it; the numbers of links come from the dice, so that a run depends on its seed alone. */
export function consentIn(
  { chance }: Pick<World, 'chance'>,
  { db, clock, ...listeners }: Pick<ConsentParts, 'db' | 'clock' | 'onLeft' | 'onReturned'>,
): Consent {
  return createConsent({ db, clock, ids: idsOf(chance), log: silentLog, ...links, ...listeners });
}
