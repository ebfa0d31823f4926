import type { Frequency } from './period.ts';

/** What somebody may ask for (002-O-02): the budget of an entity, once a period, or word when a series meets a condition. */
export const notificationTypes = [
  'newsletter_entity_monthly',
  'newsletter_entity_quarterly',
  'newsletter_entity_yearly',
  'alert_series_analytics',
  'alert_series_static',
] as const;
export type NotificationType = (typeof notificationTypes)[number];

export const isNotificationType = (text: string): text is NotificationType =>
  notificationTypes.some((type) => type === text);

/** Of an entity; the others are of a series. */
export const isNewsletter = (type: NotificationType) => type.startsWith('newsletter_');

/** How often one is told. Of a static dataset it is the dataset that decides (8.21), and this is how often it is looked at. */
export const frequencies: Readonly<Record<NotificationType, Frequency>> = {
  newsletter_entity_monthly: 'monthly',
  newsletter_entity_quarterly: 'quarterly',
  newsletter_entity_yearly: 'yearly',
  alert_series_analytics: 'monthly',
  alert_series_static: 'monthly',
};

export const newsletterSource = 'newsletters';
