import { tagValue } from '../../../domain/message.ts';
import type { Policy } from '../../../domain/policy.ts';
import type { Claimed } from '../../../outbox/claim.ts';
import type { Clock } from '../../../std/clock.ts';
import type { Draft, Source } from '../../source.ts';
import { newsletterSource } from '../notification-type.ts';
import type { Notifications } from '../notifications/notifications.ts';
import { wisherOf } from '../recipient.ts';
import type { UserDirectory } from '../users/user-directory.ts';
import { newsletterWords } from '../words.ts';
import { type Content, type ContentParts, contentOf } from './content.ts';
import { createNewsletterGate } from './newsletter-gate.ts';
import { readWhyWait } from './why-wait.ts';

/**
 * Newsletters and alerts: one period told to one wish of one user. What is written stands in the outbox before anybody sends; what is
 * asked here is the address, when the mail is about to leave for the first time (002-P5-06), and whether it still may. It never sends,
 * and never touches a status.
 */
export interface NewsletterSourceParts extends ContentParts {
  clock: Clock;
  users: UserDirectory;
  notifications: Pick<Notifications, 'left' | 'returned' | 'changed' | 'recipientsOf' | 'recheckRows'>;
}

/** DESIGN's row for newsletters: 3 attempts, 5 s and doubling (spec 002's retry), a lease of 15 minutes (002-P9-01). */
export const newsletterPolicy: Policy = {
  attemptsMax: 3,
  scheduleMs: { kind: 'exponential', baseMs: 5_000, factor: 2, capMs: 600_000, jitter: 'equal' },
  leaseMs: 15 * 60_000,
  roundsMax: 3,
  bounceDelayMs: 4 * 3_600_000, // Hours (8.19): greylisting and full mailboxes are not cured sooner.
};

export function createNewsletterSource(parts: NewsletterSourceParts): Source {
  const { db, users, notifications } = parts;
  return {
    name: newsletterSource,
    policy: newsletterPolicy,
    words: newsletterWords,
    draft: (batch) => draftNewsletters(batch, parts),
    recheck: createNewsletterGate(parts),
    changed: notifications.changed,
    left: notifications.left,
    returned: notifications.returned,
    whyWait: (recipient) => readWhyWait(db, recipient),
    async recipientsAt(address, limit) {
      const userIds = (await users.usersAt?.(address, limit)) ?? [];
      return notifications.recipientsOf(userIds, limit);
    },
  };
}

async function draftNewsletters(
  batch: readonly Claimed[],
  parts: NewsletterSourceParts,
): Promise<ReadonlyMap<number, Draft>> {
  const userIds = batch.map(({ recipient }) => wisherOf(recipient).userId);
  const addresses = await parts.users.addressesOf([...new Set(userIds)]);
  // What an operator has put back without a run was never composed: it is now, and frozen before it leaves.
  const unwritten = batch.filter(({ written }) => written === null);
  const contents = unwritten.length > 0 ? await contentOf(unwritten, parts) : new Map<number, Content>();
  return new Map(
    batch.map((claimed): [number, Draft] => {
      const { userId } = wisherOf(claimed.recipient);
      const found = addresses.get(userId);
      if (!found) throw new Error('newsletters: the directory gave no answer for a user');
      if (found.kind === 'later') {
        const { code, message, waitMs } = found;
        return [claimed.seq, { kind: 'later', error: { code, message }, dueAt: parts.clock.now() + waitMs }];
      }
      if (found.kind === 'none') {
        const { code, message } = found;
        return [claimed.seq, { kind: 'no_address', error: { code, message } }];
      }
      const tags = tagsOf(claimed);
      if (claimed.written) return [claimed.seq, { kind: 'written', to: found.address, tags }];
      return [claimed.seq, draftOf(contents.get(claimed.seq), found.address, tags, parts.clock.now())];
    }),
  );
}

function draftOf(
  content: Content | undefined,
  to: Extract<Draft, { kind: 'draft' }>['to'],
  tags: Readonly<Record<string, string>>,
  now: number,
): Draft {
  if (!content) throw new Error('newsletters: no content for a delivery that was asked about');
  if (content.kind === 'ineligible') return content;
  if (content.kind === 'later') {
    const { error, waitMs, isHopeless } = content;
    // No run counts how often: the next one takes it up, when somebody has changed something.
    if (isHopeless) return { kind: 'ineligible', error };
    return { kind: 'later', error, ...(waitMs !== undefined && { dueAt: now + waitMs }) };
  }
  const { template, locale, props } = content;
  return { kind: 'draft', to, template, locale, props, tags };
}

/** 002-D5-03, beside those that the engine finds its mails by. */
function tagsOf({ recipient, occasion }: Claimed): Record<string, string> {
  const { notificationId } = wisherOf(recipient);
  return { notification_id: tagValue(notificationId), period_key: tagValue(occasion) };
}
