import { parseAddress } from '../domain/address.ts';
import type { Engine } from '../engine.ts';
import { verificationSourceName } from '../sources/course-seats/mail/verification-source.ts';
import { createBudgetStore } from '../sources/newsletters/budget/budget-store.ts';
import { createLocalUsers } from '../sources/newsletters/users/local-users.ts';
import { systemIds } from '../std/ids.ts';
import type { Log } from '../std/log.ts';
import { Refusal } from '../std/refusal.ts';
import { type Killing, killInMidSend } from './killing.ts';
import { sampleBudget, sampleMonths, towns } from './sample-budget.ts';
import { citizens, students } from './sample-people.ts';
import { sampleReview } from './sample-review.ts';
import { createSeatsByHand, type HandSection } from './seats-by-hand.ts';
import { keepWorker, type WorkerOrder, type WorkerProcess } from './worker-process.ts';

/**
 * The first minute, for whoever has configured nothing: sample people who watch seats, follow a town's budget and review code, and what can
 * be done with them. All of it goes the way that everything goes: by the sources, the outbox and a worker, which is a process of its own.
 */
export interface Samples {
  state(): Promise<SamplesState>;
  openSeat(): Promise<HandSection>;
  /** Of the latest month that has not been told yet. */
  sendNewsletter(): Promise<{ periodKey: string; people: number }>;
  postReview(): Promise<{ changelistId: string; title: string; people: number }>;
  /** In mid-send; answers when it is dead. `state` says what comes of it. */
  killWorker(): Promise<Killing>;
  /** The worker, and the first of each kind; it is told where people reach the pages, for the links in its mails. */
  begin(url: string): void;
  stop(): Promise<void>;
}

interface SamplesState {
  workerPid: number | null;
  killing: Killing | null;
}

export interface SamplesParts {
  /** How a worker is started; its last argument is where the pages are. */
  command: WorkerOrder['command'];
  engine: Pick<Engine, 'db' | 'clock' | 'outbox' | 'pauses' | 'seats' | 'newsletters' | 'reviews'>;
  log: Log;
}

/** By then the list of open sections has been read once, and an opening can be told from what was open before. */
const firstSeatMs = 4_000;
/** Whoever has switched the inbox off is not waited for. */
const confirmedWithinMs = 15_000;
const lookMs = 200;
const by = 'samples';

export async function openSamples({ engine, log, command }: SamplesParts): Promise<Samples> {
  const { clock, seats, newsletters, reviews } = engine;
  const stopping = new AbortController();
  const termId = seats?.moving()[0]?.termId;
  if (!seats || termId === undefined) throw new Error('samples: there is no sample campus');
  const hand = createSeatsByHand({
    ...{ termId, clock, stopping: stopping.signal },
    tell: (message) => worker?.tell(message),
  });
  let account: (() => Promise<Killing>) | undefined;
  let isKilling = false;

  await addCitizens(engine);
  const unconfirmed = await addStudents(engine.db, seats, [
    ...hand.sections,
    ...seats.moving().map((section) => ({ ...section, campusCode: 'NB' })),
  ]);
  let worker: WorkerProcess | undefined;
  let begun: Promise<void> | undefined;

  async function sendNewsletter() {
    const notificationType = 'newsletter_entity_monthly';
    for (const { key: periodKey } of sampleMonths(clock.now())) {
      const { collectJobEnqueued, eligibleCount } = await newsletters.runs.trigger(
        { notificationType, periodKey },
        { by },
      );
      if (collectJobEnqueued) return { periodKey, people: eligibleCount };
    }
    throw new Refusal(
      'all_months_told',
      'Every month that the sample towns have figures of has been told, and nobody is told twice.',
    );
  }

  async function postReview(number: number) {
    const request = sampleReview(number);
    await reviews.submit(request, { by, traceId: systemIds.uuid() });
    return { changelistId: request.changelist_id, title: request.title, people: request.recipients.length };
  }

  /** As people do it: when the mail is there. */
  async function confirmWatches(): Promise<void> {
    const until = clock.monotonic() + confirmedWithinMs;
    const isToWait = () => !stopping.signal.aborted && clock.monotonic() < until;
    while (isToWait() && (await hasUnsentConfirmation(engine))) await clock.sleep(lookMs, stopping.signal);
    if (stopping.signal.aborted) return;
    for (const token of unconfirmed) await seats?.subscriptions.confirm(token);
  }

  /** One of each by itself, so that there is something to see. A second start repeats none but the seat. */
  async function tellFirst(): Promise<void> {
    await newsletters.runs.trigger({ notificationType: 'newsletter_entity_monthly' }, { by });
    await postReview(0);
    await confirmWatches();
    await clock.sleep(firstSeatMs, stopping.signal);
    if (!stopping.signal.aborted) hand.open();
  }
  return {
    state: async () => ({ workerPid: worker?.pid() ?? null, killing: (await account?.()) ?? null }),
    openSeat: async () => hand.open(),
    sendNewsletter,
    postReview: async () => postReview(await countReviews(engine)),
    async killWorker() {
      if (isKilling) throw new Refusal('killing_already', 'A worker is being killed already. One at a time.');
      if (!worker)
        throw new Refusal('worker_not_sending', 'The worker is not there yet. Try again in a moment.');
      isKilling = true;
      try {
        const newNumber = () => systemIds.uuid().slice(0, 8);
        account = await killInMidSend({ ...engine, worker, newNumber });
        return await account();
      } finally {
        isKilling = false;
      }
    },
    begin(url) {
      const onStarted = () => hand.tellAgain();
      worker = keepWorker({ command: [...command, url], clock, log, onStarted });
      begun = tellFirst().catch((error: unknown) => log.error('samples.not_begun', { error }));
    },
    async stop() {
      stopping.abort();
      await begun;
      await worker?.stop();
    },
  };
}

async function addCitizens({ db, clock, newsletters }: SamplesParts['engine']): Promise<void> {
  await createBudgetStore({ db, clock }).put(sampleBudget(sampleMonths(clock.now())));
  await createLocalUsers({ db, clock }).put(
    citizens.flatMap(({ id: userId, email }) => {
      const parsed = parseAddress(email);
      return parsed.ok ? { userId, email: parsed.address, isVerified: true } : [];
    }),
  );
  await newsletters.notifications.add(
    citizens.map(({ id: userId, locale }, place) => ({
      ...{ userId, locale, type: 'newsletter_entity_monthly' },
      entityCui: towns[place % towns.length]?.cui,
    })),
  );
}

/** Each watches some of what opens by itself and of what opens by hand. Answers the links in their first mails. */
async function addStudents(
  db: Engine['db'],
  { subscriptions }: NonNullable<Engine['seats']>,
  sections: readonly Omit<HandSection, 'title'>[],
): Promise<string[]> {
  const tokens: string[] = [];
  for (const [place, { termId, campusCode, indexNumber }] of sections.entries()) {
    const { email, locale } = students[place % students.length] as (typeof students)[number];
    const known = await db.read
      .selectFrom('subscriptions')
      .select('status')
      .where('term_id', '=', termId)
      .where('index_number', '=', indexNumber)
      .executeTakeFirst();
    // Whoever has left since the first start is not brought back.
    if (known && known.status !== 'pending') continue;
    const order = { termId, campusCode, indexNumber, email, locale, caller: null };
    const created = await subscriptions.create(order);
    if ('token' in created && created.status === 'pending') tokens.push(created.token);
  }
  return tokens;
}

async function hasUnsentConfirmation({ db }: Pick<Engine, 'db'>): Promise<boolean> {
  const one = await db.read
    .selectFrom('deliveries')
    .select('seq')
    .where('source', '=', verificationSourceName)
    .where('status', 'in', ['pending', 'claimed', 'sending'])
    .executeTakeFirst();
  return one !== undefined;
}

async function countReviews({ db }: Pick<Engine, 'db'>): Promise<number> {
  const { count } = await db.read
    .selectFrom('review_jobs')
    .select((eb) => eb.fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}
