import { createHash } from 'node:crypto';
import type { InactiveBecause, NotificationRow } from '../../../db/newsletters-schema.ts';
import { Refusal } from '../../../std/refusal.ts';
import {
  isNewsletter,
  isNotificationType,
  type NotificationType,
  newsletterSource,
  notificationTypes,
} from '../notification-type.ts';
import { recipientOf } from '../recipient.ts';
import { userIdPattern } from '../users/user-directory.ts';
import { type AlertConfig, alertConfigJson, readAlertConfig, storedAlertConfig } from './alert-config.ts';

/** One wish of one user: the budget of an entity once a period, or word of a series. */
export interface Notification {
  id: string;
  userId: string;
  type: NotificationType;
  /** Of a newsletter. */
  entityCui: string | null;
  /** Of an alert. */
  config: AlertConfig | null;
  /** Null where they have chosen none: the deployment's own. */
  locale: NotificationLocale | null;
  isActive: boolean;
  inactiveBecause: InactiveBecause | null;
  createdAt: number;
  updatedAt: number;
}

export const notificationLocales = ['en', 'ro'] as const;
export type NotificationLocale = (typeof notificationLocales)[number];

export function notificationOf(row: NotificationRow): Notification {
  return {
    ...{ id: row.id, userId: row.user_id, type: row.notification_type as NotificationType },
    ...{ entityCui: row.entity_cui, config: row.config === null ? null : storedAlertConfig(row.config) },
    ...{ locale: row.locale as NotificationLocale | null, isActive: row.is_active === 1 },
    inactiveBecause: row.inactive_because,
    ...{ createdAt: row.created_at, updatedAt: row.updated_at },
  };
}

/** What somebody asks for, and nothing of how it stands. */
export interface Wish {
  type: NotificationType;
  entityCui: string | null;
  config: AlertConfig | null;
}

export const cuiPattern = '^[0-9]{2,10}$';
const isCui = new RegExp(cuiPattern);

export function readWish(given: { type: string; entityCui?: string | undefined; config?: unknown }): Wish {
  const { type, entityCui, config } = given;
  if (!isNotificationType(type)) {
    throw new Refusal(
      'invalid_type',
      ...about('notificationType', `The notification type must be one of ${notificationTypes.join(', ')}.`),
    );
  }
  if (!isNewsletter(type)) {
    if (entityCui !== undefined)
      throw new Refusal(
        'invalid_entity',
        ...about(
          'entityCui',
          `A notification of the type ${type} is about a series, not an entity; leave entityCui out.`,
        ),
      );
    return { type, entityCui: null, config: readAlertConfig(type, config) };
  }
  if (config !== undefined && config !== null)
    throw new Refusal(
      'invalid_config',
      ...about(
        'config',
        `A notification of the type ${type} has no config; say which entity with entityCui.`,
      ),
    );
  return { type, entityCui: requireCui(entityCui), config: null };
}

/** A sentence about a field, and the same for programs, in the shape in which all refusals of a field come. */
const about = (field: string, problem: string) => [problem, { problems: [{ field, problem }] }] as const;

export function requireCui(cui: unknown): string {
  if (typeof cui === 'string' && isCui.test(cui)) return cui;
  throw new Refusal(
    'invalid_entity',
    ...about('entityCui', "entityCui must be the entity's fiscal code, 2 to 10 digits, such as 4305857."),
  );
}

export function requireUserId(userId: string): string {
  if (userIdPattern.test(userId)) return userId;
  throw new Refusal('invalid_user', 'A user id has 1 to 128 letters, digits and the signs _ . @ | and -.');
}

export function requireLocale(locale: unknown): NotificationLocale {
  const found = notificationLocales.find((one) => one === locale);
  if (found) return found;
  throw new Refusal(
    'invalid_locale',
    ...about('locale', `The locale must be one of ${notificationLocales.join(', ')}.`),
  );
}

/** The cells in which a wish stands, and by which it is found again: one user has one of each. */
export function cellsOf(userId: string, { type, entityCui, config }: Wish) {
  const json = config === null ? null : alertConfigJson(config);
  const hash = createHash('sha256')
    .update(JSON.stringify([userId, type, entityCui, json]))
    .digest('hex');
  return {
    notification_type: type,
    entity_cui: entityCui,
    config: json,
    dataset_id: config?.datasetId ?? null,
    hash,
  };
}

export const ownerOf = ({ userId, id }: Pick<Notification, 'userId' | 'id'>) => ({
  source: newsletterSource,
  recipient: recipientOf({ userId, notificationId: id }),
});
