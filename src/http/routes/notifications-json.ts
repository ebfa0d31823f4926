import { type Static, Type } from 'typebox';
import { filterNames } from '../../sources/newsletters/budget/series-filter.ts';
import { alertOperators } from '../../sources/newsletters/mail/alert-verdict.ts';
import { notificationTypes } from '../../sources/newsletters/notification-type.ts';
import { configLimits, datasetIdPattern } from '../../sources/newsletters/notifications/alert-config.ts';
import {
  cuiPattern,
  type Notification,
  notificationLocales,
} from '../../sources/newsletters/notifications/notification.ts';
import type { Notifications } from '../../sources/newsletters/notifications/notifications.ts';
import type { Log } from '../../std/log.ts';
import type { Caller } from '../gate.ts';
import { closed, limit, line } from '../schemas.ts';

/** Newsletters and alerts as programs get them, with their shapes for the document. */

/** What the routes work with: one's own, and nothing of the rest. */
export type OwnNotifications = Pick<
  Notifications,
  | ('subscribe' | 'list' | 'ofEntity' | 'find' | 'update' | 'remove' | 'deliveries')
  | ('optOutOf' | 'optOut' | 'optIn')
>;

export interface NotificationParts {
  notifications: OwnNotifications;
  log: Log;
}

/** The gate has seen to it that there is one. */
export function userOf({ userId }: Caller): string {
  if (userId === undefined) throw new Error('http: a route for users was opened without one');
  return userId;
}

const pageMax = 100;
export const pageByDefault = 50;
export const pageQuery = Type.Object(
  {
    after: Type.Optional(line(64, 'The `after` of `next`: the next page.')),
    limit: Type.Optional(limit(pageMax, pageByDefault)),
  },
  closed,
);
export const next = Type.Union([Type.Object({ after: Type.String() }, closed), Type.Null()]);
export const nextOf = (after: string | null) => (after === null ? null : { after });

export const notificationType = Type.Enum([...notificationTypes]);
export const locale = Type.Enum([...notificationLocales], { description: 'Language of its mails.' });
export const cui = Type.String({
  pattern: cuiPattern,
  description: "The entity's fiscal code: 2 to 10 digits.",
});

const text = (charactersMax: number) => Type.String({ maxLength: charactersMax });
export const config = Type.Object(
  {
    title: Type.Optional(text(configLimits.title)),
    description: Type.Optional(text(configLimits.description)),
    conditions: Type.Optional(
      Type.Array(
        Type.Object(
          {
            operator: Type.Enum([...alertOperators]),
            threshold: Type.Union([Type.Number(), Type.String({ minLength: 1, maxLength: 60 })], {
              description: 'A decimal; as a text where it has more than 15 digits.',
            }),
            unit: Type.Optional(text(configLimits.unit)),
          },
          closed,
        ),
        {
          maxItems: configLimits.conditions,
          description: 'One that holds is enough; without any, there is word in every period.',
        },
      ),
    ),
    filter: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: `Of \`alert_series_analytics\`: which series. \`account_category\` must be there, \`vn\` (income) or \`ch\` (expenses), and with imported budgets \`entity_cuis\`. All fields: ${filterNames.join(', ')}.`,
        examples: [{ account_category: 'ch', entity_cuis: ['4305857'], functional_prefixes: ['65'] }],
      }),
    ),
    datasetId: Type.Optional(
      Type.String({
        ...{ maxLength: configLimits.datasetId, pattern: datasetIdPattern },
        description: 'Of `alert_series_static`: which dataset.',
      }),
    ),
  },
  { ...closed, description: 'Of an alert.' },
);

const time = Type.String({ format: 'date-time' });
const orNull = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);

export const notification = Type.Object(
  {
    id: Type.String(),
    notificationType,
    entityCui: orNull(Type.String()),
    config: orNull(config),
    locale: orNull(locale),
    isActive: Type.Boolean(),
    inactiveBecause: orNull(
      Type.Enum(['by_user', 'unsubscribed', 'global_opt_out', 'bounced', 'complained'], {
        description: 'Its user, the link in a mail, leaving everything, or what came back through a mail.',
      }),
    ),
    createdAt: time,
    updatedAt: time,
  },
  closed,
);

export function notificationJson(of: Notification): Static<typeof notification> {
  const { id, type, entityCui, isActive, createdAt, updatedAt } = of;
  return {
    ...{ id, notificationType: type, entityCui, isActive },
    config:
      of.config === null
        ? null
        : { ...of.config, conditions: of.config.conditions.map((one) => ({ ...one })) },
    ...{ locale: of.locale, inactiveBecause: of.inactiveBecause === 'deleted' ? null : of.inactiveBecause },
    ...{ createdAt: new Date(createdAt).toISOString(), updatedAt: new Date(updatedAt).toISOString() },
  };
}
