import type { Tx } from '../db/database.ts';
import type { Policy } from '../domain/policy.ts';
import type { Trail } from '../outbox/trail.ts';
import type { Clock } from '../std/clock.ts';
import type { Log } from '../std/log.ts';
import { type HeardEvent, reportOf } from './evidence-report.ts';
import { findMail } from './find-mail.ts';
import type { Problem, WebhookRequest } from './informant.ts';
import { informantNamed, informants } from './informants.ts';
import { type ProviderEvent, unreadable } from './provider-event.ts';
import { createWebhookTally, type WebhookCounts } from './webhook-counts.ts';
import type { KnownDelivery, WaitingEvent, WebhookLog, WebhookPage } from './webhook-log.ts';

/**
 * Evidence that comes back by itself. An event is kept, applied and marked in one transaction, and answered with success
 * only after that: a crash anywhere leaves it to be told again, and telling it again changes nothing. One that finds no
 * delivery, because we do not know its message id yet, is kept and linked later. It never sends, and reads nothing of a
 * request before its sender is verified.
 */
export interface Webhooks {
  /** False where a provider has no secret set: then nothing can be verified, and all is refused. */
  isSetUp(provider: string): boolean;
  receive(request: WebhookRequest): Promise<WebhookAnswer>;
  /**
   * The same for a provider that is part of this process and signs nothing: as part of its transaction, so that what it has told is taken off
   * its list with it. What is told to the log waits for `tell`, after the commit.
   */
  hear(event: Told, tx: Tx): Promise<Heard>;
  /** Tries again to link what found no delivery. Answers how many it looked at. */
  linkWaiting(): Promise<number>;
  /** Retention: what was said is forgotten, that it was said never. Answers of how many events. */
  forget(): Promise<number>;
  readonly counts: WebhookCounts;
}

export type WebhookAnswer = { isRefused: false; isRepeat: boolean } | { isRefused: true; problem: Problem };

/** An event as a provider tells it, in its own words. */
interface Told {
  provider: string;
  /** The provider's own name of it. */
  id: string;
  text: string;
}

interface Heard {
  isRepeat: boolean;
  tell(): void;
}

/** By provider: `whsec_…` or passwords. Any of them may be shown: that is how they are replaced. */
export type WebhookSecrets = Readonly<Record<string, readonly string[] | undefined>>;

export interface WebhookParts {
  events: WebhookLog;
  clock: Clock;
  log: Log;
  secrets: WebhookSecrets;
  /** Ours: an account may serve several deployments, and each hears of all mails. */
  environment: string;
  /** How patient a source is with bounces. */
  policyOf: (source: string) => Policy;
  retentionMs: number;
  /** Where somebody follows. */
  trail?: Trail | undefined;
}

const linkFirstMs = 10_000;
const linkLongestMs = 6 * 3_600_000;
/** Beyond the provider's own last try (28 hours), and far beyond the time in which a row learns its message id. */
const linkWithinMs = 3 * 86_400_000;
const linkBatch = 100;
const forgetBatch = 500;

export function createWebhooks(parts: WebhookParts): Webhooks {
  const { events, clock, log, environment, policyOf, retentionMs, trail } = parts;
  const secretsOf = (provider: string) => parts.secrets[provider] ?? [];
  const tally = createWebhookTally(knownTypesOf(parts.secrets), clock, log);

  /** Undefined while nobody can say which mail it is about. */
  async function apply(event: HeardEvent, receivedAt: number, page: WebhookPage): Promise<Done | undefined> {
    if (event.type === unreadable) return { outcome: 'unreadable' };
    if (event.evidence === null) return { outcome: 'kept' };
    // What names no mail will never be about one.
    if (event.deliveryId === null && event.messageId === null) return { outcome: 'no such delivery' };
    const found = await findMail(event, page);
    if (!found) {
      // Only here: a deployment may be renamed, and what we have sent stays ours.
      const isOurs = event.environment === null || event.environment === environment;
      return isOurs ? undefined : { outcome: 'another environment', isStrangers: true };
    }
    const { delivery } = found;
    if (found.isContradicted) return { outcome: 'contradicts', delivery };
    const when = { receivedAt, now: clock.now() };
    const answer = await page.record(reportOf(event, event.evidence, found, policyOf(delivery.source), when));
    if (answer?.isAddressLost) return { outcome: 'address unknown', delivery };
    return { outcome: answer?.changed ? 'applied' : (answer?.why ?? 'no such delivery'), delivery };
  }

  /** Kept, applied and marked together. */
  async function take({ provider, id, text }: Told, since: Since, tx?: Tx): Promise<Heard> {
    const event = heardFrom(provider, text);
    const { type, messageId, at: happenedAt } = event;
    const told = await events.together(async (page) => {
      const now = clock.now();
      const due = { receivedAt: now, dueAt: now + linkFirstMs };
      // Only what is no JSON can hold a NUL, which PostgreSQL does not store.
      const payload = text.replaceAll('\0', '\ufffd');
      const eventSeq = await page.keep({ provider, id, type, messageId, happenedAt, ...due, payload });
      if (eventSeq === undefined) return { isRepeat: true };
      const done = await apply(event, now, page);
      if (done) await page.mark(eventSeq, processed(done, now));
      return { isRepeat: false, done };
    }, tx);
    const { isRepeat } = told;
    return { isRepeat, tell: () => (isRepeat ? tally.addRepeat() : tell(event, told.done, since)) };
  }

  /** After the commit, and never an address: what happened is told with the delivery that it happened to. */
  function tell({ type, isDelayed }: ProviderEvent, done: Done | undefined, since: Since): void {
    const { outcome = 'waiting', delivery } = done ?? {};
    if (delivery) trail?.heard(delivery, { type, outcome }, since);
    // What waits is counted when it has been linked, or given up.
    if (done) tally.addEvent(type, outcome);
    const fields = { type, outcome, ...(delivery && namesOf(delivery)) };
    if (outcomesToldLoudly.has(outcome)) log.warn('webhook.not_applied', fields);
    else log.debug('webhook.processed', fields);
    // 002-P7-19
    if (isDelayed && delivery) log.warn('delivery.delayed', namesOf(delivery));
  }

  async function link(waiting: WaitingEvent): Promise<void> {
    const since = trail?.start();
    const event = heardFrom(waiting.provider, waiting.payload);
    const done = await events.together(async (page) => {
      const now = clock.now();
      if (!(await page.take(waiting, now, now + waitMs(waiting)))) return undefined;
      const done =
        (await apply(event, waiting.receivedAt, page)) ?? (isOver(waiting, now) ? noSuchDelivery : undefined);
      if (done) await page.mark(waiting.eventSeq, processed(done, now));
      return done;
    });
    if (done) tell(event, done, since);
  }

  /** What cannot be linked for an error is tried again like what finds no delivery, and for as long. */
  async function putOff(waiting: WaitingEvent, error: unknown): Promise<void> {
    const { type } = heardFrom(waiting.provider, waiting.payload);
    const isGivenUp = await events.together(async (page) => {
      const now = clock.now();
      if (!(await page.take(waiting, now, now + waitMs(waiting))) || !isOver(waiting, now)) return false;
      await page.mark(waiting.eventSeq, processed({ outcome: 'failed' }, now));
      return true;
    });
    if (!isGivenUp) return;
    tally.addEvent(type, 'failed');
    log.error('webhook.given_up', { type, tries: waiting.tries + 1, error });
  }

  return {
    isSetUp: (provider) => secretsOf(provider).length > 0,
    counts: tally,

    async receive(request) {
      const since = trail?.start();
      const { provider } = request;
      const verdict = informantNamed(provider)?.verify(request, secretsOf(provider), clock.now()) ?? nobody;
      if (!verdict.ok) {
        tally.addRefusal(verdict.problem);
        return { isRefused: true, problem: verdict.problem };
      }
      const { id, text } = verdict;
      const heard = await take({ provider, id, text }, since);
      heard.tell();
      return { isRefused: false, isRepeat: heard.isRepeat };
    },

    hear: (told, tx) => take(told, trail?.start(), tx),

    async linkWaiting() {
      const waiting = await events.waiting(clock.now(), linkBatch);
      const failures: unknown[] = [];
      for (const one of waiting) {
        // What one of them cannot do must not keep the others waiting, nor come first again next time.
        await link(one).catch(async (error: unknown) => {
          failures.push(error);
          await putOff(one, error);
        });
      }
      if (failures.length > 0) throw failures[0];
      return waiting.length;
    },

    forget: () => events.blank(clock.now() - retentionMs, forgetBatch),
  };
}

const nobody = { ok: false, problem: 'wrong credentials' } as const;

/** What somebody told who is not known any more says nothing. */
const heardFrom = (provider: string, text: string): HeardEvent => ({
  ...{ ...(informantNamed(provider)?.read(text) ?? illegible), provider },
});

const illegible: ProviderEvent = {
  ...{ type: unreadable, at: null, messageId: null, deliveryId: null, round: null, environment: null },
  ...{ to: null, evidence: null, error: null, isDelayed: false },
};

/** Of those who may tell something: a series that cannot grow is of no use. */
function knownTypesOf(secrets: WebhookSecrets): string[] {
  const speaking = informants.filter(
    ({ provider, scheme }) => scheme === 'in-process' || (secrets[provider]?.length ?? 0) > 0,
  );
  return [...new Set(speaking.flatMap(({ knownTypes }) => knownTypes))];
}

type Since = ReturnType<Trail['start']> | undefined;

interface Done {
  outcome: string;
  delivery?: KnownDelivery;
  isStrangers?: boolean;
}

/** What was waited for in vain. */
const noSuchDelivery: Done = { outcome: 'no such delivery', isStrangers: true };

/** Something that somebody should look at. */
const outcomesToldLoudly: ReadonlySet<string> = new Set(['contradicts', 'unreadable', 'address unknown']);

const processed = ({ outcome, delivery, isStrangers = false }: Done, at: number) => ({
  ...{ deliverySeq: delivery?.seq ?? null, outcome, at, isStrangers },
});

const isOver = ({ receivedAt }: WaitingEvent, now: number) => now - receivedAt > linkWithinMs;

const waitMs = ({ tries }: WaitingEvent) =>
  Math.min(linkLongestMs, linkFirstMs * 4 ** Math.min(tries + 1, 10));

const namesOf = ({ id, traceId }: KnownDelivery) => ({ deliveryId: id, traceId });
