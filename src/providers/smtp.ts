import { checkMail } from '../domain/message.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { Clock } from '../std/clock.ts';
import type { Parcel, Provider } from './provider.ts';
import { outcomeOf, type SmtpFailure } from './smtp-answer.ts';
import { type Letter, streamLetter, writeLetter } from './smtp-letter.ts';
import { openSession, type Session } from './smtp-session.ts';
import { fingerprint, placeOf, readSmtpUrl, type TlsChoice } from './smtp-url.ts';
import { isTooLate } from './too-late.ts';

/**
 * A mail server by SMTP. It has no keys and cannot be asked what it has, so everything hangs on knowing whether the
 * final dot may have been sent: until then a mail is known not to be accepted, from then on only the server's answer
 * counts, and without one the outcome is unknown. It never sends a mail twice by itself.
 */
export interface SmtpParts {
  /** `smtp://` (STARTTLS where it is offered) or `smtps://`, with user and password where the server wants them. */
  url: string;
  clock: Clock;
  /** Connections, and so mails in flight. */
  connections?: number;
  timeouts?: {
    /** For everything up to the end of the content: connecting, log-in, envelope. */
    beforeDotMs?: number;
    /** For the answer to the final dot. */
    afterDotMs?: number;
  };
  tls?: TlsChoice;
}

const defaults = {
  connections: 4,
  beforeDotMs: 30_000, // RFC 5321 allows minutes for each step; a server that takes them is down for our purposes.
  // RFC 5321 4.5.3.2.6 says 10 minutes. But a lease must outlast the call, and a crash is noticed at its end: a minute
  // keeps the usual lease of two, at the price of a mail in doubt where a server thinks for longer.
  afterDotMs: 60_000,
} as const;

/** How long a connection is trusted to be there still without asking. */
const freshMs = 1_000;
const quitMs = 1_000;

export function createSmtp({ url, clock, connections, timeouts, tls = {} }: SmtpParts): Provider {
  const server = readSmtpUrl(url, tls);
  const concurrency = connections ?? defaults.connections;
  const { beforeDotMs = defaults.beforeDotMs, afterDotMs = defaults.afterDotMs } = timeouts ?? {};
  const idle: { session: Session; since: number; needsReset: boolean }[] = [];
  const inFlight = new Set<Promise<Outcome>>();
  let isClosed = false;

  /** Undefined when time is up. The timer does not outlive the wait. */
  async function within<T>(work: Promise<T>, ms: number): Promise<{ value: T } | undefined> {
    const over = new AbortController();
    const timeUp = clock.sleep(Math.max(0, ms), over.signal).then(() => undefined);
    const result = await Promise.race([work.then((value) => ({ value })), timeUp]);
    over.abort();
    return result;
  }

  /** A session that is there, or why there is none. */
  async function enter(deadline: number): Promise<Session | SmtpFailure> {
    for (let kept = idle.pop(); kept; kept = idle.pop()) {
      if (!kept.session.isOpen) continue;
      if (!kept.needsReset && clock.monotonic() - kept.since < freshMs) return kept.session;
      // A quarter, because there must be time left for a new connection when a silent network has eaten this one.
      const answered = await within(kept.session.reset(), Math.min(beforeDotMs / 4, left(deadline)));
      if (answered && answered.value === undefined) return kept.session;
      kept.session.destroy();
    }
    const { session, opened } = openSession(server);
    const answered = await within(opened, left(deadline));
    if (answered && answered.value === undefined) return session;
    session.destroy();
    return answered?.value ?? timedOut;
  }

  const left = (deadline: number) => deadline - clock.monotonic();

  const longestCallMs = beforeDotMs + afterDotMs;

  async function handOver(letter: Letter, parcel: Parcel): Promise<Outcome> {
    const deadline = clock.monotonic() + beforeDotMs;
    const session = await enter(deadline);
    if (!isSession(session)) return outcomeOf(session, 'opening', letter.to, placeOf(server));
    // The last moment at which nothing of the mail has been said: after this, MAIL FROM is on its way.
    if (isTooLate(parcel, clock, longestCallMs)) {
      leave(session, false);
      return notStarted('out of time');
    }
    const letterStream = streamLetter(letter);
    const answer = session.deliver(letter, letterStream);
    const isInTime = await within(Promise.race([answer, letterStream.ended]), left(deadline));
    const answered = letterStream.hasEnded
      ? await within(answer, afterDotMs)
      : isInTime && { value: await answer };
    // In this order: after `destroy` the end of the letter cannot be given away any more.
    if (!answered) session.destroy();
    const { hasEnded } = letterStream;
    const failure = answered ? answered.value : timedOut;
    if (failure === undefined && hasEnded) {
      leave(session, false);
      return { kind: 'accepted', messageId: letter.messageId };
    }
    // A refusal of the envelope leaves both sides in step. In or after the content a second answer could still come, and
    // be taken for that to the next mail.
    if (failure?.responseCode !== undefined && !letterStream.hasBegun) leave(session, true);
    else session.destroy();
    return outcomeOf(failure ?? outOfStep, hasEnded ? 'handed_over' : 'handing_over', letter.to);
  }

  function leave(session: Session, needsReset: boolean): void {
    idle.push({ session, since: clock.monotonic(), needsReset });
  }

  async function end(session: Session): Promise<void> {
    await within(session.quit(), quitMs);
    session.destroy();
  }

  async function send(parcel: Parcel): Promise<Outcome> {
    const { key, mail } = parcel;
    const checked = checkMail(mail);
    if (!checked.ok) return refused(checked.code, checked.sentence);
    let letter: Letter;
    try {
      letter = await writeLetter(key, mail, clock.now());
    } catch (error) {
      return refused('mail_unwritable', error instanceof Error ? error.name : 'not an error');
    }
    return handOver(letter, parcel);
  }

  return {
    name: 'smtp',
    account: `smtp:${fingerprint(server)}`,
    guarantees: {
      idempotencyWindowMs: null,
      indexingDelayMs: 0,
      longestCallMs,
      concurrency,
      ratePerSecond: null,
    },
    async send(parcel) {
      if (isClosed) return notStarted('the provider is closed');
      // A mail that waited here would wait past the moment at which it was last checked.
      if (inFlight.size >= concurrency) return notStarted('no connection is free');
      const call = send(parcel);
      inFlight.add(call);
      try {
        return await call;
      } finally {
        inFlight.delete(call);
      }
    },
    async probe() {
      const { session, opened } = openSession(server);
      const answered = await within(opened, beforeDotMs);
      const failure = answered ? answered.value : timedOut;
      if (failure === undefined) await end(session);
      else session.destroy();
      if (failure === undefined) return { isUp: true };
      const outcome = outcomeOf(failure, 'opening', '', placeOf(server));
      const reason = 'error' in outcome ? `${outcome.error.code}: ${outcome.error.message}` : 'down';
      return { isUp: false, reason };
    },
    async close() {
      isClosed = true;
      // What has been handed over still gets its answer: it would be in doubt without.
      await Promise.allSettled(inFlight);
      await Promise.all(idle.splice(0).map(({ session }) => end(session)));
    },
  };
}

const timedOut: SmtpFailure = { code: 'ETIMEDOUT' };
/** An acceptance before the mail had ended: the server answers to something that we have not said. */
const outOfStep: SmtpFailure = { code: 'EPROTOCOL' };

function isSession(one: Session | SmtpFailure): one is Session {
  return 'deliver' in one;
}

function notStarted(message: string): Outcome {
  return { kind: 'deferred', error: { code: 'not_started', provider: 'smtp', message } };
}

function refused(code: string, message: string): Outcome {
  return { kind: 'refused_for_good', error: { code, provider: 'smtp', message } };
}
