import { createHmac } from 'node:crypto';
import type { EvidenceEvent } from '../src/domain/evidence.ts';
import type { Mail } from '../src/domain/message.ts';
import type { WebhookRequest } from '../src/webhooks/informant.ts';
import type { Chance } from './chance.ts';
import { hourMs, minuteMs, secondMs } from './chance.ts';
import { type Entry, isBounced } from './ledger.ts';
import type { SimulatedProcess } from './process.ts';
import type { World } from './world.ts';

/**
 * The provider's webhooks: signed as the real ones are, told to any process that runs, told again while nobody answers, and
 * in the end not at all. Early and late, doubled, out of order; some are lost, some are forged, some are about strangers.
 */
export interface Mailman {
  announce(entry: Entry, mail: Mail): void;
  /** Tells one that is due to a process, and does not wait for the answer; false when none is. */
  tellOne(world: World, to: SimulatedProcess): boolean;
  /** When the next is due; undefined when none is on its way. */
  nextAt(): number | undefined;
  readonly isIdle: boolean;
  /** What was answered with success, in this order: all of it must be known in the end. */
  readonly answered: readonly Answered[];
}

export interface Answered {
  entry: Entry;
  event: EvidenceEvent;
  at: number;
}

interface Letter {
  id: string;
  entry: Entry | null;
  body: string;
  event: EvidenceEvent;
  hasTags: boolean;
  /** It claims to be about a mail that it is not about: nothing may come of it. */
  isStray: boolean;
  /** Not a bounce at all: it is told only to who knows that the mail arrived. */
  isReply: boolean;
  tags: Mail['tags'] | null;
  at: number;
  dueAt: number;
  /** It comes at the worst moment, if there is one before it is due: when the next round's mail is on its way. */
  isForNextRound: boolean;
  tries: number;
}

export const webhookSecret = Buffer.from('a secret of the simulation').toString('base64');

/** After those the provider gives up. */
const againAfterMs = [5 * secondMs, 5 * minuteMs, 30 * minuteMs, 2 * hourMs, 5 * hourMs, 10 * hourMs];
const answerWithinMs = 15 * secondMs;

const typesOf = {
  accepted: ['email.sent', 'email.delivery_delayed'],
  confirmed: ['email.delivered', 'email.opened', 'email.clicked'],
  complained: ['email.complained'],
  bounced_for_now: ['email.bounced'],
  bounced_for_good: ['email.bounced'],
  over_quota: ['email.failed'],
  provider_failed: ['email.failed'],
  provider_suppressed: ['email.suppressed'],
} as const satisfies Record<EvidenceEvent, readonly string[]>;

const detailsOf: Readonly<Partial<Record<EvidenceEvent, object>>> = {
  bounced_for_now: { bounce: { type: 'Transient', subType: 'MailboxFull', message: 'full' } },
  bounced_for_good: { bounce: { type: 'Permanent', subType: 'Suppressed', message: 'gone' } },
  over_quota: { failed: { reason: 'reached_daily_quota' } },
  provider_failed: { failed: { reason: 'invalid_attachment' } },
  provider_suppressed: { suppressed: { message: 'on the list', type: 'OnAccountSuppressionList' } },
};

interface MailmanParts {
  chance: Chance;
  /** How many never come. */
  loses: number;
  /** How many are followed by one that names the same delivery, and another mail. */
  strays: number;
}

export function createMailman({ chance, loses, strays }: MailmanParts): Mailman {
  const letters: Letter[] = [];
  const answered: Answered[] = [];
  let written = 0;
  let underWay = 0;

  function write(
    what: Pick<Letter, 'entry' | 'event' | 'at' | 'tags'> & { isStray?: boolean; isReply?: boolean },
  ): void {
    const { entry, event, at, tags, isStray = false, isReply = false } = what;
    written += 1;
    const stamp = new Date(at).toISOString();
    const data = {
      email_id: entry && !isStray ? entry.messageId : `stranger-${written}`,
      created_at: stamp,
      to: [entry && !isStray ? entry.to : 'stranger@example.org'],
      ...(tags && { tags }),
      ...detailsOf[event],
    };
    const body = JSON.stringify({ type: chance.one(typesOf[event]), created_at: stamp, data });
    // Some come when the next round's mail has long left.
    const latestMs = entry && isBounced(entry) && tags === null ? 20 * hourMs : 3 * hourMs;
    const delayMs = chance.isTrue(0.6) ? chance.between(0, 500) : chance.between(0, latestMs);
    // Of what was over its quota nobody may have known that it was accepted.
    const isForNextRound = event === 'accepted' && entry?.end === 'over_quota' && chance.isTrue(0.7);
    letters.push({
      ...{ id: `msg_${written}`, entry, event, body, at, tags, isStray, isReply, hasTags: tags !== null },
      ...{ dueAt: at + (isForNextRound ? 20 * hourMs : delayMs), tries: 0, isForNextRound },
    });
  }

  return {
    announce(entry, mail) {
      const { end, endAt, acceptedAt } = entry;
      const events: [EvidenceEvent, number][] = [['accepted', acceptedAt]];
      if (end === 'complained') events.push(['confirmed', endAt]);
      if (end !== 'silence') events.push([end, endAt]);
      const untagged = isBounced(entry) ? 0.4 : 0.1;
      for (const [event, at] of events) {
        write({ entry, event, at, tags: chance.isTrue(untagged) ? null : mail.tags });
      }
      if (chance.isTrue(0.05)) {
        const tags = { ...mail.tags, delivery_id: strangersId(chance) };
        write({ entry: null, event: 'confirmed', at: endAt, tags });
      }
    },

    tellOne(world, to) {
      const { clock, story, isTroubled, tally, watch } = world;
      const isNextUnderWay = ({ entry }: Letter) =>
        watch.rows.some(
          ({ id, status, round }) =>
            id === entry?.deliveryId && status === 'sending' && round > (entry?.round ?? 0),
        );
      const worst = letters.filter((letter) => letter.isForNextRound && isNextUnderWay(letter));
      const due = worst.length > 0 ? worst : letters.filter(({ dueAt }) => dueAt <= clock.now());
      if (due.length === 0) return false;
      const letter = chance.one(due);
      letters.splice(letters.indexOf(letter), 1);
      const { entry } = letter;
      // A database that went back in time may not know it any more.
      if ((letter.isReply || letter.isStray) && watch.restoredAt >= 0) return true;
      if (entry && (letter.isReply || letter.isStray)) entry.isSlandered = true;
      if (letter.tries === 0 && isTroubled()) {
        if (chance.isTrue(loses)) {
          if (world.mayStrike('a webhook never comes')) return true;
        } else if (chance.isTrue(0.15) && world.mayStrike('a webhook comes twice')) {
          letters.push({ ...letter, dueAt: clock.now() + chance.between(0, hourMs) });
        }
      }
      if (entry && !entry.isAnswered) tally.fault('a webhook comes before the answer');
      if (clock.now() - letter.at > hourMs) tally.fault('a webhook comes late');
      if (letters.some((other) => other.entry === entry && other.at < letter.at)) {
        tally.fault('webhooks come out of order');
      }
      const row = entry && watch.rows.find(({ id }) => id === entry.deliveryId);
      const isKnown = row?.provider_message_id === entry?.messageId && row?.round === entry?.round;
      if (entry && isKnown && isTroubled() && chance.isTrue(strays)) {
        tally.fault('a webhook names a delivery, and another mail');
        write({ entry, event: 'bounced_for_now', at: clock.now(), tags: letter.tags, isStray: true });
      }
      if (entry === null) tally.fault('a webhook is about a stranger');
      else if (!letter.hasTags) tally.fault('a webhook names no delivery');
      const isForged = isTroubled() && chance.isTrue(0.03);
      if (isForged) tally.fault('a webhook is forged');
      const named = letter.isStray ? `another mail than ${entry?.messageId}` : entry?.messageId;
      const what = entry ? `${letter.event} of ${named}` : 'something of a stranger';
      story.tell(`a ${isForged ? 'forged ' : ''}webhook tells ${to.name} ${what}`);
      underWay += 1;
      void tell(letter, isForged, world, to).finally(() => {
        underWay -= 1;
      });
      return true;
    },

    nextAt: () => (letters.length === 0 ? undefined : Math.min(...letters.map(({ dueAt }) => dueAt))),
    answered,
    get isIdle() {
      return letters.length === 0 && underWay === 0;
    },
  };

  /** It was answered: what it said must be known from now on. */
  function heed({ entry, event, tags, isStray }: Letter, { clock, isTroubled, tally }: World): void {
    if (!entry || isStray) return;
    answered.push({ entry, event, at: clock.now() });
    if (tags !== null && isBounced(entry) && event === entry.end) entry.bounceToldAt ??= clock.now();
    if (event !== 'confirmed' || tags === null || entry.end !== 'confirmed' || !isTroubled()) return;
    if (chance.isTrue(0.2)) {
      tally.fault('an automatic reply looks like a bounce');
      write({ entry, event: 'bounced_for_now', at: clock.now(), tags, isReply: true });
    }
  }

  async function tell(letter: Letter, isForged: boolean, world: World, to: SimulatedProcess): Promise<void> {
    const { clock, story, isTroubled, tally } = world;
    const answer = await Promise.race([
      to.receive(signed(letter, isForged, clock.now())).catch(() => 'no answer' as const),
      clock.sleep(answerWithinMs).then(() => 'no answer' as const),
    ]);
    if (answer !== 'no answer' && !answer.isRefused) {
      if (isForged) world.watch.violate('only what is signed', 'a forged webhook was taken');
      heed(letter, world);
      return;
    }
    const waitMs = againAfterMs[letter.tries];
    // While the run is being brought to its end somebody always answers in the end.
    if (waitMs === undefined && isTroubled()) {
      story.tell(`${letter.id} is given up`);
      return;
    }
    tally.fault('a webhook is told again, because it was not answered');
    letters.push({ ...letter, tries: letter.tries + 1, dueAt: clock.now() + (waitMs ?? hourMs) });
  }
}

function signed({ id, body }: Letter, isForged: boolean, now: number): WebhookRequest {
  const timestamp = String(Math.floor(now / 1000));
  const secret = Buffer.from(webhookSecret, 'base64');
  const text = isForged ? `${id}.${timestamp}.${body} ` : `${id}.${timestamp}.${body}`;
  const signature = `v1,${createHmac('sha256', secret).update(text).digest('base64')}`;
  const headers = { 'svix-id': id, 'svix-timestamp': timestamp, 'svix-signature': signature };
  return { provider: 'resend', headers, body: Buffer.from(body) };
}

/** A number that no delivery has. */
function strangersId(chance: Chance): string {
  return `00000000-0000-5000-8000-${String(chance.between(0, 999_999_999_999)).padStart(12, '0')}`;
}
