/** A recipient is one wish of one user, so that leaving by a mail's link ends that wish and no other, and a delivery's key is spec 002's (002-O-03): `userId:notificationId`. */
export interface Wisher {
  userId: string;
  notificationId: string;
}

export const recipientOf = ({ userId, notificationId }: Wisher) => `${userId}:${notificationId}`;

export function wisherOf(recipient: string): Wisher {
  const colon = recipient.indexOf(':');
  return { userId: recipient.slice(0, colon), notificationId: recipient.slice(colon + 1) };
}
