import { bodyHash, type Mail } from '../src/domain/message.ts';
import type { LookUp, Outcome } from '../src/domain/outcome.ts';
import type {
  AcceptedMail,
  Guarantees,
  MailReference,
  MayAsk,
  Parcel,
  Progress,
  ProgressReport,
} from '../src/providers/provider.ts';
import { hourMs, minuteMs, secondMs } from './chance.ts';
import { deny } from './ledger.ts';
import type { FaultName } from './tally.ts';
import type { Part } from './turns.ts';
import type { World } from './world.ts';

/**
 * The far side of the wire: one account at a provider. It goes on working when the process that called it dies, forgets
 * keys after a day, loses answers, and breaks none of the guarantees that it declares, save where it is a liar.
 */
export interface Service {
  readonly account: string;
  readonly guarantees: Guarantees;
  readonly kind: ProviderKind;
  send(parcel: Parcel, who: string, by: Part): Promise<Outcome>;
  lookUp(reference: MailReference): Promise<LookUp>;
  progress(mails: readonly AcceptedMail[], mayAsk: MayAsk): Promise<ProgressReport>;
  probe(): Promise<{ isUp: true } | { isUp: false; reason: string }>;
}

export interface ProviderKind {
  hasKey: boolean;
  canLookUp: boolean;
  /** Its look-ups may say what is not so. */
  isLiar: boolean;
  /** Can be asked what became of a mail. */
  canTell: boolean;
  longestCallMs: number;
  concurrency: number;
  ratePerSecond: number | null;
  /** How likely an answer is to be lost, and a call to be slow. */
  loses: number;
  isSlow: number;
  isHarsh: boolean;
  isDownOften: boolean;
}

export type ServiceParts = Pick<
  World,
  'chance' | 'clock' | 'story' | 'ledger' | 'watch' | 'tally' | 'isTroubled' | 'mayStrike' | 'mailboxes'
> & { account: string; kind: ProviderKind; isOverQuota: () => boolean };

const windowMs = 24 * hourMs; // As Resend's.
/** A key is forgotten a little before its time, or a little after. */
const windowSlackMs = secondMs;
export const indexingDelayMs = 30_000;

/** Most are as they should be; some refuse whatever they can, after they have accepted it. */
const harshFates = {
  ...{ accept: 40, vanish: 6, refuse_for_now: 20, refuse_for_good: 30 },
  ...{ throttle: 2, unreachable: 1, over_quota: 1 },
};
const fates = {
  accept: 60,
  vanish: 6,
  refuse_for_now: 9,
  refuse_for_good: 5,
  throttle: 3,
  unreachable: 3,
  over_quota: 1,
};
const downFates = { ...fates, unreachable: 25, throttle: 6 };
type Fate = keyof typeof fates;
const faultOf: Readonly<Record<Exclude<Fate, 'accept'>, FaultName>> = {
  vanish: 'hangs, and never had it',
  refuse_for_now: 'refused for now',
  refuse_for_good: 'refused for good',
  throttle: 'throttled',
  unreachable: 'unreachable',
  over_quota: 'over quota',
};

export function createService(parts: ServiceParts): Service {
  const { account, kind, chance, clock, ledger, watch, story, tally, isTroubled, mayStrike, mailboxes } =
    parts;
  const { isOverQuota } = parts;
  const { longestCallMs, ratePerSecond } = kind;
  const keys = new Map<string, { hash: string; messageId: string; until: number }>();
  const underWay = new Set<string>();
  /** Keys that came with another body, after a fail-over: who lies about these lies on, until somebody should know better. */
  const contested = new Set<string>();
  const isStruck = (probability: number, fault: FaultName) =>
    isTroubled() && chance.isTrue(probability) && mayStrike(fault);

  function fateOf(): Fate {
    const fate = isTroubled()
      ? chance.weighted(kind.isDownOften ? downFates : kind.isHarsh ? harshFates : fates)
      : 'accept';
    return fate === 'accept' || !mayStrike(faultOf[fate]) ? 'accept' : fate;
  }

  const isUnwelcome = ({ mail }: Parcel) => mailboxes.get(mail.to.toLowerCase()) === 'refused';

  /** What the service does with a request, whether or not anybody hears the answer. */
  async function decide(parcel: Parcel, fate: Fate, workMs: number, isKnown: boolean): Promise<Outcome> {
    const error = { code: isUnwelcome(parcel) ? 'invalid_to_address' : fate, provider: account };
    if (fate === 'throttle') {
      return { kind: 'deferred', trouble: 'throttled', retryAfterMs: chance.one([2_000, 60_000]), error };
    }
    if (fate === 'over_quota')
      return { kind: 'deferred', trouble: 'over_quota', retryAfterMs: 60_000, error };
    if (fate === 'unreachable') return { kind: 'deferred', trouble: 'unreachable', error };
    if (kind.hasKey && underWay.has(parcel.key)) return concurrent();
    underWay.add(parcel.key);
    const cameAt = clock.now();
    await clock.sleep(workMs);
    underWay.delete(parcel.key);
    if (fate === 'vanish') return unknown('time_out');
    // A refusal is decided before the key is looked at: it says nothing about an earlier request.
    if (fate === 'refuse_for_now') return { kind: 'refused_for_now', error };
    if (fate === 'refuse_for_good') return { kind: 'refused_for_good', error };
    return accept(parcel.key, parcel.mail, !isKnown || watch.restoredAt >= cameAt);
  }

  function accept(key: string, mail: Mail, isDenied: boolean): Outcome {
    const hash = bodyHash(mail);
    const known = kind.hasKey ? keys.get(key) : undefined;
    if (known && clock.now() < known.until) {
      if (known.hash !== hash) {
        tally.fault('a key comes with another body');
        contested.add(key);
        return { kind: 'key_conflict', error: { code: 'key_conflict' } };
      }
      return { kind: 'accepted', messageId: known.messageId };
    }
    if (known) tally.fault('a key is forgotten');
    const { messageId } = ledger.accept(account, key, mail, isDenied);
    const until = clock.now() + windowMs + chance.between(-windowSlackMs, windowSlackMs);
    keys.set(key, { hash, messageId, until });
    return { kind: 'accepted', messageId };
  }

  return {
    account,
    kind,
    guarantees: {
      idempotencyWindowMs: kind.hasKey ? windowMs : null,
      indexingDelayMs,
      longestCallMs,
      concurrency: kind.concurrency,
      ratePerSecond,
    },
    async send(parcel, who, by) {
      const cameAt = clock.now();
      const fate = isUnwelcome(parcel) && mayStrike('refused for good') ? 'refuse_for_good' : fateOf();
      const isSlow = isTroubled() && chance.isTrue(kind.isSlow);
      const wholeMs = isSlow ? chance.between(0, longestCallMs) : chance.between(0, 300);
      // It has the mail long before it says so, or says so at once.
      const workMs = chance.isTrue(0.5) ? wholeMs : chance.between(0, wholeMs);
      const isLost = isStruck(
        isOverQuota() ? Math.max(0.7, kind.loses) : kind.loses,
        fate === 'accept' ? 'accepts, and the answer is lost' : 'an answer is lost',
      );
      const isTaken = !['throttle', 'unreachable', 'over_quota'].includes(fate);
      const isDoubled = kind.hasKey && isTaken && isStruck(0.03, 'a request is doubled on its way');
      const loseMs = chance.between(0, isSlow ? longestCallMs : 1_000);
      const isAttempt = isLost || isTaken;
      const isKnown = watch.posted({ account, ratePerSecond, parcel, isAttempt, who, by });
      const decided = decide(parcel, fate, workMs, isKnown);
      // A proxy sends the request twice, and it is the second copy's answer that comes back.
      if (isDoubled && underWay.has(parcel.key)) return concurrent();
      if (isLost) {
        await clock.sleep(loseMs);
        return unknown('connection_lost');
      }
      const outcome = await decided;
      await clock.sleep(wholeMs - workMs);
      if (outcome.kind === 'accepted') {
        const entry = ledger.entries.find(({ messageId }) => messageId === outcome.messageId);
        if (entry) entry.isAnswered = true;
        if (entry && entry.acceptedAt < cameAt) entry.isFoundAgain = true;
      }
      return outcome;
    },
    async lookUp({ key, sentAfter }) {
      await clock.sleep(chance.between(0, 500));
      if (isStruck(0.15, 'a look-up answers nothing')) return { kind: 'unknown' };
      // An index that is late, but never later than promised.
      const isLate = isStruck(0.5, 'a look-up is late');
      const indexedUntil = clock.now() - (isLate ? chance.between(0, indexingDelayMs) : 0);
      const mine = ledger.entries.filter((entry) => entry.account === account && entry.key === key);
      const found = mine.findLast(
        ({ acceptedAt }) => acceptedAt <= indexedUntil && acceptedAt >= sentAfter - minuteMs,
      );
      const lies = contested.has(key) ? 0.95 : 0.4;
      if (found && kind.isLiar && isStruck(lies, 'a look-up says that a mail is absent which is there')) {
        mine.forEach(deny);
        story.tell(`${account} denies ${found.messageId}`);
        return { kind: 'absent' };
      }
      if (found) {
        return { kind: 'found', messageId: found.messageId, at: found.acceptedAt };
      }
      if (kind.isLiar && isStruck(0.4, 'a look-up finds a mail that never was')) {
        ledger.invented.add(key.slice(0, 36));
        story.tell(`${account} invents a mail under ${key}`);
        return { kind: 'found', messageId: `invented-${key}`, at: clock.now() };
      }
      return { kind: 'absent' };
    },
    async progress(mails, mayAsk) {
      const answers = new Map<string, Progress | null>();
      if (isStruck(0.1, 'questions about accepted mails are refused')) return { answers, isRefused: true };
      for (const { messageId } of mails) {
        if (!(await mayAsk())) break;
        await clock.sleep(chance.between(0, 300));
        if (isStruck(0.2, 'questions about accepted mails are not answered')) continue;
        const entry = ledger.entries.find((each) => each.account === account && each.messageId === messageId);
        const { end, endAt, to } = entry ?? { end: 'silence', endAt: 0 };
        const isKnown = end !== 'silence' && endAt <= clock.now();
        // What met a full quota is shown as failed, which is no more than a soft bounce.
        const event = end === 'over_quota' || end === 'provider_failed' ? 'bounced_for_now' : end;
        answers.set(
          messageId,
          isKnown && event !== 'silence'
            ? { event, at: endAt, error: { code: event }, ...(to && { to }) }
            : null,
        );
      }
      return { answers, isRefused: false };
    },
    async probe() {
      return isTroubled() && chance.isTrue(0.3) ? { isUp: false, reason: 'still down' } : { isUp: true };
    },
  };
}

const unknown = (code: string): Outcome => ({ kind: 'unknown', error: { code } });
const concurrent = (): Outcome => ({ kind: 'unknown', isAttempt: false, error: { code: 'concurrent' } });
