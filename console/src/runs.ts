import type { Run } from '../../src/client/run-shapes.ts';
import type { NotificationType } from '../../src/sources/newsletters/notification-type.ts';
import type { Words } from './words/words.ts';

/** Runs as pages speak of them. */
export const runsPath = '/api/v1/notifications/runs';
export const plansPath = '/api/v1/notifications/plans';

/** `Monthly newsletter, October 2026`. */
export function runName(run: Pick<Run, 'notificationType' | 'periodKey'>, { runs }: Words): string {
  const type = runs.types[run.notificationType as NotificationType] ?? run.notificationType;
  return `${type}, ${runs.periodName(run.periodKey)}`;
}

/** What was asked of a run's first mails, as a form has it. */
export interface CanaryWish {
  isWanted: boolean;
  size: string;
  bouncesMax: string;
  waitMinutes: string;
}

export const usualCanary: CanaryWish = { isWanted: false, size: '50', bouncesMax: '0', waitMinutes: '60' };

/** As the API takes it; nothing where none is wanted. */
export const canaryOf = ({ isWanted, size, bouncesMax, waitMinutes }: CanaryWish) =>
  isWanted
    ? { canary: { size: Number(size), bouncesMax: Number(bouncesMax), waitMinutes: Number(waitMinutes) } }
    : {};
