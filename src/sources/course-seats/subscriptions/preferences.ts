import type { SubscriptionRow } from '../../../db/seats-schema.ts';
import type { DeliveryWindow, Preferences } from './subscriptions.ts';

/** What somebody may wish for. Each check answers a sentence that says what is wrong, or nothing. */

const maxNotificationsMax = 1000;
/** Terms are shorter. */
const snoozeMaxMs = 366 * 86_400_000;

function problemOfNotifyOn(value: readonly string[]): string | undefined {
  const isList = Array.isArray(value) && value.length > 0 && value.length <= 10;
  if (!isList || !value.every((one) => typeof one === 'string' && /^[a-z][a-z_]{0,29}$/.test(one)))
    return 'notifyOn must be a list of up to ten words such as "open".';
  return value.includes('open')
    ? undefined
    : 'notifyOn must have "open" in it: there is nothing else to tell.';
}

export function problemOfMax(max: number | null): string | undefined {
  if (max === null || (Number.isInteger(max) && max >= 1 && max <= maxNotificationsMax)) return undefined;
  return `The greatest number of mails must be a whole number from 1 to ${maxNotificationsMax}, or null for no limit.`;
}

export function problemOfWindow(window: DeliveryWindow | null): string | undefined {
  if (window === null) return undefined;
  const isMinute = (value: unknown, last: number) =>
    Number.isInteger(value) && (value as number) >= 0 && (value as number) <= last;
  if (isMinute(window.startMinutes, 1439) && isMinute(window.endMinutes, 1440)) return undefined;
  return 'The hours in which mail is welcome are minutes of the day: startMinutes 0 to 1439, endMinutes 0 to 1440.';
}

export function problemOfSnooze(until: number | null, now: number): string | undefined {
  if (until === null) return undefined;
  if (!Number.isSafeInteger(until)) return 'The end of the snooze must be a time.';
  if (until <= now) return 'The end of the snooze has passed; give a time to come, or null to end it.';
  return until - now > snoozeMaxMs ? 'A snooze can be a year long at most.' : undefined;
}

export function problemOfPreferences(preferences: Preferences, now: number): string | undefined {
  const { notifyOn, maxNotifications, deliveryWindow, snoozeUntil } = preferences;
  return (
    (notifyOn && problemOfNotifyOn(notifyOn)) ??
    problemOfMax(maxNotifications ?? null) ??
    problemOfWindow(deliveryWindow ?? null) ??
    problemOfSnooze(snoozeUntil ?? null, now)
  );
}

/** As columns. */
export function preferenceCells(preferences: Preferences) {
  const { notifyOn = ['open'], maxNotifications, deliveryWindow, snoozeUntil } = preferences;
  return {
    notify_on: JSON.stringify([...new Set(notifyOn)]),
    max_notifications: maxNotifications ?? null,
    window_start_minutes: deliveryWindow?.startMinutes ?? null,
    window_end_minutes: deliveryWindow?.endMinutes ?? null,
    snooze_until: snoozeUntil ?? null,
  };
}

export function preferencesOf(row: SubscriptionRow): Required<Preferences> {
  const { window_start_minutes: startMinutes, window_end_minutes: endMinutes } = row;
  return {
    notifyOn: JSON.parse(row.notify_on) as string[],
    maxNotifications: row.max_notifications,
    deliveryWindow: startMinutes === null || endMinutes === null ? null : { startMinutes, endMinutes },
    snoozeUntil: row.snooze_until,
  };
}
