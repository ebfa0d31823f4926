/** Newsletters and alerts as they are asked for and answered. */
export type NewsletterType =
  | 'newsletter_entity_monthly'
  | 'newsletter_entity_quarterly'
  | 'newsletter_entity_yearly';
export type AlertType = 'alert_series_analytics' | 'alert_series_static';
export type NotificationType = NewsletterType | AlertType;
export type NotificationLocale = 'en' | 'ro';

/** For whom it is: a service names its user; with a user's own session it is that user. */
export interface ForUser {
  userId: string;
}

export interface AlertCondition {
  operator: 'gt' | 'gte' | 'lt' | 'lte' | 'eq';
  /** A decimal; as a text where it has more than 15 digits, and always as a text in answers. */
  threshold: number | string;
  unit?: string;
}

export interface AlertConfig {
  title?: string;
  description?: string;
  /** One that holds is enough; without any, there is word in every period. */
  conditions?: AlertCondition[];
  /** Of `alert_series_analytics`: which series. */
  filter?: Record<string, unknown>;
  /** Of `alert_series_static`: which dataset. */
  datasetId?: string;
}

/** What is asked for; the type says which of the fields it needs. */
export type NotificationWish = { locale?: NotificationLocale | undefined } & (
  | { notificationType: NewsletterType; entityCui: string; config?: undefined }
  | {
      notificationType: 'alert_series_analytics';
      config: AlertConfig & { filter: Record<string, unknown> };
      entityCui?: undefined;
    }
  | {
      notificationType: 'alert_series_static';
      config: AlertConfig & { datasetId: string };
      entityCui?: undefined;
    }
);

export interface NotificationChange {
  /** Off stops what waits, too. */
  isActive?: boolean | undefined;
  locale?: NotificationLocale | null | undefined;
  config?: AlertConfig | undefined;
}

export interface Notification {
  id: string;
  notificationType: NotificationType;
  entityCui: string | null;
  config: AlertConfig | null;
  locale: NotificationLocale | null;
  isActive: boolean;
  inactiveBecause: 'by_user' | 'unsubscribed' | 'global_opt_out' | 'bounced' | 'complained' | null;
  createdAt: string;
  updatedAt: string;
}

/** After a retry it may be `existing` although this call made it. */
export interface Subscribed {
  kind: 'created' | 'existing' | 'reactivated';
  notification: Notification;
}

export interface ChangedNotification {
  kind: 'changed' | 'unchanged';
  notification: Notification;
}

export interface PageQuery {
  /** The `after` of `next`: the next page. */
  after?: string | undefined;
  limit?: number | undefined;
}

export interface NotificationPage {
  notifications: Notification[];
  next: { after: string } | null;
}

/** What became of one period for one user. */
export interface NotificationDelivery {
  id: string;
  notificationId: string;
  periodKey: string;
  deliveryKey: string;
  status:
    | 'pending'
    | 'sending'
    | 'sent'
    | 'delivered'
    | 'failed_transient'
    | 'failed_permanent'
    | 'suppressed'
    | 'skipped_unsubscribed'
    | 'skipped_no_email';
  toEmail: string | null;
  attemptCount: number;
  lastAttemptAt: string | null;
  sentAt: string | null;
  createdAt: string;
}

export interface NotificationDeliveryPage {
  deliveries: NotificationDelivery[];
  next: { after: string } | null;
}

/** Whether a user has left all newsletters and alerts: here, or by the link in a mail. */
export type OptOut = { optedOut: false } | { optedOut: true; at: string; via: 'account' | 'link' };

export interface OptedOut {
  optedOut: true;
  at: string;
  via: 'account' | 'link';
  /** Newsletters and alerts that this request turned off. */
  deactivated: number;
  /** Mails that waited, and that this request stopped. */
  stopped: number;
}

export interface OptedIn {
  optedOut: false;
  wasOptedOut: boolean;
}
