import { type Consent, createConsent } from '../src/consent/consent.ts';
import type { Database } from '../src/db/database.ts';
import { type Policy, plainPolicy } from '../src/domain/policy.ts';
import type { Fact } from '../src/outbox/facts.ts';
import { createOutbox, type Outbox } from '../src/outbox/outbox.ts';
import { plainSource } from '../src/sources/plain/plain.ts';
import type { Source } from '../src/sources/source.ts';
import { type Clock, createManualClock, type ManualClock } from '../src/std/clock.ts';
import { silentLog } from '../src/std/log.ts';
import { createSeededRandom } from '../src/std/random.ts';
import { type Chance, createChance } from './chance.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { createService, type ProviderKind, type Service } from './service.ts';
import type { Stage } from './stage.ts';
import { createStory, type Story } from './story.ts';
import { createWatch, type Watch } from './watch.ts';

/** All that the simulated processes share: time, dice, database, providers, and the watch over them. */
export interface World {
  chance: Chance;
  clock: ManualClock;
  story: Story;
  db: Database;
  namespace: string;
  source: Source;
  ledger: Ledger;
  watch: Watch;
  /** For those who are not processes of the engine: webhooks, operators, people. */
  outbox: Outbox;
  consent: Consent;
  /** The account that a process uses which starts now. */
  service(): Service;
  switchAccount(): void;
  isReliable: boolean;
  isTroubled(): boolean;
  endTroubles(): void;
  faultRate(): number;
  /** Runs what commits, one at a time, and looks at what it changed before anybody else commits. */
  commit<T>(who: string, work: () => Promise<T>): Promise<T>;
}

export function createWorld(seed: number, { db, namespace }: Stage): World {
  const chance = createChance(createSeededRandom(seed));
  const clock = createManualClock();
  const story = createStory(() => clock.monotonic());
  let isTroubled = true;
  const troubled = () => isTroubled;
  const rate = chance.one([0, 0.02, 0.05, 0.1]);
  const kind: ProviderKind = {
    hasKey: chance.isTrue(0.5),
    canLookUp: chance.isTrue(0.5),
    // Shorter than the lease of the policy, and longer: then the call decides about the lease.
    longestCallMs: chance.one([20_000, 100_000]),
    ratePerSecond: chance.one([null, null, 1]),
  };
  // Spec 000's patient sender tries again by itself only where there are keys.
  const isReliable = kind.hasKey && chance.isTrue(0.5);
  // Fewer tries than the plain source's, so that a short run reaches the last one.
  const tries = { attemptsMax: chance.between(2, 3), roundsMax: chance.between(1, 3) };
  const policy: Policy = { ...plainPolicy, ...tries };
  const ledger = createLedger({ chance, clock, story, isTroubled: troubled });
  const watch = createWatch({ db, clock, story, ledger });

  let uncommitted: Fact[] = [];
  const source: Source = {
    ...plainSource,
    policy,
    async changed(facts) {
      if (isTroubled && chance.isTrue(0.1)) throw new Error('bookkeeping failed');
      uncommitted.push(...facts);
    },
  };

  let last: Promise<unknown> = Promise.resolve();
  function commit<T>(who: string, work: () => Promise<T>): Promise<T> {
    const run = last.then(async () => {
      uncommitted = [];
      const result = await work();
      watch.told(uncommitted);
      await watch.look(who);
      return result;
    });
    last = run.catch(() => {});
    return run;
  }

  const serviceOf = (account: string) =>
    createService({ account, kind, chance, clock, ledger, story, isTroubled: troubled });
  let accounts = 1;
  let service = serviceOf('account1');
  const consent = consentIn({ chance }, { db, clock });
  const listeners = { consent: consent.learn, source: () => source.changed };
  const keyWord = kind.hasKey ? 'keys' : 'no keys';
  story.tell(
    `seed ${seed}: ${keyWord}, ${kind.canLookUp ? '' : 'no '}look-up, ${isReliable ? 'inner retries, ' : ''}${rate * 100} % faults`,
  );

  return {
    chance,
    clock,
    story,
    db,
    namespace,
    source,
    ledger,
    watch,
    outbox: createOutbox({ db, clock, log: silentLog, namespace, listeners }),
    consent,
    service: () => service,
    switchAccount() {
      accounts += 1;
      service = serviceOf(`account${accounts}`);
      story.tell(`new processes use account${accounts} from now on`);
    },
    isReliable,
    isTroubled: troubled,
    endTroubles() {
      isTroubled = false;
      story.tell('the troubles are over');
    },
    faultRate: () => (isTroubled ? rate : 0),
    commit,
  };
}

/** As a process has it; the numbers of links come from the dice, so that a run depends on its seed alone. */
export function consentIn(
  { chance }: Pick<World, 'chance'>,
  { db, clock }: { db: Database; clock: Clock },
): Consent {
  const digits = () => String(chance.between(0, 99_999_999_999)).padStart(11, '0');
  const ids = { uuid: () => '', secret: () => digits() + digits() };
  const links = { secrets: ['simulation'], baseUrl: () => 'https://mail.example.org' };
  return createConsent({ db, clock, ids, log: silentLog, ...links });
}
