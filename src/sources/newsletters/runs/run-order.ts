import { Refusal } from '../../../std/refusal.ts';
import {
  frequencies,
  isNotificationType,
  type NotificationType,
  notificationTypes,
} from '../notification-type.ts';
import { lastWholeWithin, type Period, parsePeriod, previousPeriod } from '../period.ts';

/** What somebody asks a run for, checked: bad input gets a sentence that says what to do. */
export interface TriggerRequest {
  notificationType: string;
  /** By default the last period that is over (002-P4-03). */
  periodKey?: string;
  /** Counts, and does nothing (002-P4-04). */
  dryRun?: boolean;
  /** So many at the most (002-P4-05). */
  limit?: number;
  /** Looks again although there was a run; nobody is told twice for it (8.20). */
  force?: boolean;
}

/** A few first. The others follow only when these have arrived without more than so many bounces and complaints. */
export interface CanaryOrder {
  size: number;
  bouncesMax: number;
  /** How long to listen for bounces after the last of them was accepted. */
  waitMs: number;
}

export interface RunOrder {
  type: NotificationType;
  period: Period;
  limit: number | null;
}

const limitMax = 10_000_000;

export function readRunOrder(request: TriggerRequest, now: number): RunOrder {
  const { notificationType: type, limit } = request;
  if (!isNotificationType(type)) {
    throw new Refusal(
      'invalid_notification_type',
      `There is no notification type ${JSON.stringify(type.slice(0, 60))}. There are: ${notificationTypes.join(', ')}.`,
    );
  }
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 1 && limit <= limitMax)) {
    throw new Refusal('invalid_limit', `limit must be a whole number from 1 to ${limitMax}.`);
  }
  return { type, period: readPeriod(type, request.periodKey, now), limit: limit ?? null };
}

const examples = { monthly: '2026-10', quarterly: '2026-Q3', yearly: '2025' } as const;

function readPeriod(type: NotificationType, key: string | undefined, now: number): Period {
  const frequency = frequencies[type];
  if (key === undefined) return previousPeriod(frequency, now);
  const period = parsePeriod(key);
  // The datasets of static alerts have frequencies of their own: whatever period is named, it is their last one in it.
  const isOfAnyLength = type === 'alert_series_static';
  if (!period || (period.frequency !== frequency && !isOfAnyLength)) {
    throw new Refusal(
      'invalid_period',
      `The period of ${type} is written like ${examples[frequency]}, not ${JSON.stringify(key.slice(0, 40))}.`,
    );
  }
  const last = previousPeriod(period.frequency, now);
  if (period.key > last.key) {
    throw new Refusal(
      'period_not_over',
      `The period ${period.key} is not over. The last one that is: ${last.key}.`,
    );
  }
  return period;
}

export function readCanary(canary: CanaryOrder | undefined): CanaryOrder | null {
  if (canary === undefined) return null;
  const { size, bouncesMax, waitMs } = canary;
  const isCount = (value: number, least: number) => Number.isSafeInteger(value) && value >= least;
  if (!isCount(size, 1) || size > 10_000 || !isCount(bouncesMax, 0) || !isCount(waitMs, 0)) {
    throw new Refusal(
      'invalid_canary',
      'A canary has a size from 1 to 10000, and whole numbers from 0 for the bounces it may meet and the time to wait.',
    );
  }
  return canary;
}

/** Of a static dataset: its own last period that was over when the run's was (8.21). */
export const periodOfDataset = lastWholeWithin;
