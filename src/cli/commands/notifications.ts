import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { addNotificationsImport } from './notifications-import.ts';
import { addNotificationsList } from './notifications-list.ts';
import { addNotificationsSubscribe } from './notifications-subscribe.ts';

export function addNotifications(program: Command, context: Context): void {
  const notifications = program
    .command('notifications')
    .helpCommand(false)
    .description('Newsletters and alerts: who asked for what');
  for (const add of [addNotificationsList, addNotificationsSubscribe, addNotificationsImport])
    add(notifications, context);
}
