import {
  isNotificationType,
  type NotificationType,
  notificationTypes,
} from '../sources/newsletters/notification-type.ts';
import { nearest } from '../std/nearest.ts';
import { Refusal } from '../std/refusal.ts';

/** The types of newsletters and alerts, as the help of a command names them. */
export const typesHelp = ['Types:', ...notificationTypes.map((type) => `  ${type}`)].join('\n');

export function requireType(text: string): NotificationType {
  if (isNotificationType(text)) return text;
  const meant = nearest(text, notificationTypes);
  throw new Refusal(
    'invalid_type',
    `There is no type ${JSON.stringify(text)}.${meant ? ` Did you mean ${meant}?` : ''} The types are ${notificationTypes.join(', ')}.`,
  );
}
