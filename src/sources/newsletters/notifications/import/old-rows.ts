import type { ImportedDelivery, ImportedEnd } from '../../../../outbox/import.ts';
import { Refusal } from '../../../../std/refusal.ts';
import { newsletterSource } from '../../notification-type.ts';
import { parsePeriod } from '../../period.ts';
import { recipientOf, type Wisher } from '../../recipient.ts';
import { userIdPattern } from '../../users/user-directory.ts';
import { cellsOf, readWish } from '../notification.ts';
import type { OldRow } from './old-tables.ts';
import { readOldTime } from './old-time.ts';

/** Rows of the older system as ours, or why one cannot be. Pure: the same row is read in the same way however often it comes. */
export type Read<Row> = { row: Row } | { problem: string };

export interface OldNotification {
  id: string;
  userId: string;
  cells: ReturnType<typeof cellsOf>;
  isActive: boolean;
  hasLeft: boolean;
  createdAt: number;
  updatedAt: number;
}

/** UUIDs, and the numbers of a time before them. */
const idPattern = /^[0-9A-Za-z-]{1,64}$/;

export function readOldNotification(old: OldRow, now: number): Read<OldNotification> {
  const named = namesIn(old.user_id, old.id);
  if ('problem' in named) return named;
  const { userId, notificationId: id } = named;
  const type = old.notification_type ?? '';
  try {
    const isAlert = type.startsWith('alert_');
    const wish = readWish({
      type,
      ...(isAlert ? { config: oldConfig(old.config) } : { entityCui: old.entity_cui ?? undefined }),
    });
    const createdAt = readOldTime(old.created_at) ?? now;
    return {
      row: {
        ...{ id, userId, cells: cellsOf(userId, wish), createdAt },
        ...{ isActive: isTrue(old.is_active ?? 'true'), hasLeft: old.has_left === '1' },
        updatedAt: readOldTime(old.updated_at) ?? createdAt,
      },
    };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { problem: error.message };
  }
}

function namesIn(
  userId: string | null | undefined,
  id: string | null | undefined,
): { problem: string } | Wisher {
  if (!userId || !userIdPattern.test(userId))
    return { problem: 'Its user id is none that there may be here.' };
  if (!id || !idPattern.test(id))
    return { problem: 'The id of its notification is none that there may be here.' };
  return { userId, notificationId: id.toLowerCase() };
}

const isTrue = (text: string) => /^(?:t|true|1|y|yes)$/i.test(text);

/** Only what we know of it: the older system kept more with an alert. Its numbers were JavaScript's. */
function oldConfig(text: string | null | undefined): unknown {
  let config: unknown;
  try {
    config = JSON.parse(text ?? 'null');
  } catch {
    throw new Refusal('invalid_config', 'Its config is not JSON.');
  }
  if (typeof config !== 'object' || config === null || Array.isArray(config)) return config;
  const { title, description, conditions, filter, datasetId } = config as Record<string, unknown>;
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    conditions: Array.isArray(conditions) ? conditions.map(oldCondition) : conditions,
    ...(filter !== undefined && { filter }),
    ...(datasetId !== undefined && { datasetId }),
  };
}

function oldCondition(condition: unknown): unknown {
  if (typeof condition !== 'object' || condition === null) return condition;
  const { operator, threshold, unit } = condition as Record<string, unknown>;
  return { operator, threshold: typeof threshold === 'number' ? String(threshold) : threshold, unit };
}

export interface OldLink {
  token: string;
  recipient: string;
}

export function readOldLink(old: OldRow): Read<OldLink> {
  const named = namesIn(old.user_id, old.notification_id);
  if ('problem' in named) return named;
  const token = old.token ?? '';
  return token === '' ? { problem: 'It has no token.' } : { row: { token, recipient: recipientOf(named) } };
}

export interface OldDelivery extends ImportedDelivery {
  /** The older system's own word, where it is none that we know. */
  unknownStatus: string | null;
}

/** As spec 002 calls them; a row may also have none. */
const oldStatuses = [
  ...(['pending', 'sending', 'sent', 'delivered', 'failed_transient', 'failed_permanent'] as const),
  ...(['suppressed', 'skipped_unsubscribed', 'skipped_no_email'] as const),
] as const;
type OldStatus = (typeof oldStatuses)[number];

export function readOldDelivery(old: OldRow, now: number): Read<OldDelivery> {
  const named = namesIn(old.user_id, old.notification_id);
  if ('problem' in named) return named;
  const period = parsePeriod(old.period_key ?? '');
  if (!period) return { problem: 'Its period key is none: 2026-10, 2026-Q3 and 2026 are.' };
  const sentAt = readOldTime(old.sent_at);
  const lastAttemptAt = readOldTime(old.last_attempt_at);
  const createdAt = readOldTime(old.created_at) ?? sentAt ?? lastAttemptAt ?? now;
  const word = old.status?.trim() || null;
  const status = oldStatuses.find((one) => one === word?.toLowerCase()) ?? (word === null ? null : 'unknown');
  const end = endOf(status, old, sentAt);
  const attempts = Number(old.attempt_count ?? 0);
  const wasSent = end === 'sent' || end === 'delivered';
  return {
    row: {
      ...{ source: newsletterSource, occasion: period.key, recipient: recipientOf(named), lane: 'bulk' },
      ...{ id: old.id?.toLowerCase() ?? null, end, unknownStatus: status === 'unknown' ? word : null },
      ...{ toEmail: old.to_email ?? null, providerMessageId: old.resend_email_id || null, createdAt },
      // Spec 002's own backfill (002-P1-03): what was sent was attempted once.
      attempts: Number.isSafeInteger(attempts) && attempts >= 0 ? Math.max(attempts, wasSent ? 1 : 0) : 1,
      ...{ lastAttemptAt, sentAt: wasSent ? (sentAt ?? lastAttemptAt ?? createdAt) : sentAt },
      error: errorOf(end, status, old),
    },
  };
}

/**
 * A row without a status was written after its mail was sent: that is what the older system did (002-P1-03). With the default of
 * the migration, `pending`, it says nothing (8.15): then what else is known of it does. What a word means that nobody knows is not
 * guessed: it may have been sent, and is not told again unless a person says so.
 */
function endOf(status: OldStatus | 'unknown' | null, old: OldRow, sentAt: number | null): ImportedEnd {
  const wasAccepted = sentAt !== null || Boolean(old.resend_email_id) || Boolean(old.email_batch_id);
  const wasTried = Number(old.attempt_count ?? 0) > 0 || old.last_attempt_at != null;
  switch (status) {
    case null:
    case 'sent':
      return 'sent';
    case 'delivered':
      return 'delivered';
    case 'pending':
      if (wasAccepted) return 'sent';
      return wasTried ? 'in_doubt' : 'unsent';
    case 'sending':
    case 'unknown':
      return wasAccepted ? 'sent' : 'in_doubt';
    case 'failed_transient':
    case 'failed_permanent':
      return 'failed';
    case 'suppressed':
      return 'suppressed';
    case 'skipped_unsubscribed':
      return 'unsubscribed';
    case 'skipped_no_email':
      return 'no_address';
  }
}

const explained: Readonly<Partial<Record<ImportedEnd, string>>> = {
  unsent: 'The older system had not sent it yet when it was taken over; it is not sent late.',
  in_doubt: 'The older system was about to send it when it was taken over, and never said what came of it.',
};

function errorOf(
  end: ImportedEnd,
  status: OldStatus | 'unknown' | null,
  { last_error, status: word }: OldRow,
): ImportedDelivery['error'] {
  const said = last_error?.replaceAll('\0', '').slice(0, 500);
  const unknown = `The older system called it ${shown(word)}, which is no status that is known here: it may have been sent.`;
  const message =
    end === 'in_doubt' && status === 'unknown' ? unknown : (explained[end] ?? (said || undefined));
  if (message === undefined) return null;
  return {
    code: end === 'failed' && status === 'failed_transient' ? 'imported_unfinished' : `imported_${end}`,
    message,
  };
}

const shown = (word: string | null | undefined) => JSON.stringify((word ?? '').trim().slice(0, 40));
