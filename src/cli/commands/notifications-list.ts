import type { Command } from 'commander';
import type { Notification } from '../../sources/newsletters/notifications/notification.ts';
import { limitOption } from '../arguments.ts';
import { type Context, example, jsonOption, withEngine } from '../context.ts';
import { typesHelp } from '../notification-types.ts';
import { printable, shellWord } from '../printable.ts';
import { type Column, printTable } from '../table.ts';

interface ListOptions {
  user?: string;
  entity?: string;
  type?: string;
  after?: string;
  limit: number;
  json?: true;
}

const limitMax = 500;

export function addNotificationsList(notifications: Command, context: Context): void {
  const { terminal } = context;
  notifications
    .command('list')
    .description('List who follows what, in the order of ids')
    .option('--user <id>', 'only what this user follows')
    .option('--entity <cui>', 'only newsletters of this entity')
    .option('--type <type>', 'only of this type')
    .option('--after <id>', 'only those behind this one: the next page')
    .option(...limitOption(limitMax, 50))
    .option(...jsonOption)
    .addHelpText('after', `\n${typesHelp}`)
    .addHelpText(
      'after',
      example('notifications list --user user_2RfW', 'notifications list --entity 4305857'),
    )
    .action(async ({ user, entity, type, after, limit, json }: ListOptions) => {
      const { requireType } = await import('../notification-types.ts');
      const order = {
        ...{ limit, userId: user, after, entityCui: entity?.trim().replace(/^RO/i, '') },
        type: type === undefined ? undefined : requireType(type),
      };
      await withEngine(context, async (engine) => {
        const { rows, next } = await engine.newsletters.notifications.all(order);
        if (json) return terminal.json({ notifications: rows.map(shown), next: next && { after: next } });
        if (rows.length === 0) return terminal.print(...nobody(order));
        printTable(terminal, rows, columns);
        if (next === null) return;
        const same = [
          ...(user === undefined ? [] : ['--user', user]),
          ...(entity === undefined ? [] : ['--entity', entity]),
          ...(type === undefined ? [] : ['--type', type]),
        ];
        const words = [...same, '--after', next].map(shellWord).join(' ');
        terminal.print(`More: npx tidings notifications list ${words}`);
      });
    });
}

function nobody({
  userId,
  entityCui,
  type,
  after,
}: Record<'userId' | 'entityCui' | 'type' | 'after', unknown>): string[] {
  if (after !== undefined) return ['No more notifications.'];
  if ([userId, entityCui, type].some((one) => one !== undefined))
    return ['No notification is like that. All of them: npx tidings notifications list'];
  return [
    'Nobody has asked for a notification. To ask for somebody: npx tidings notifications subscribe --help',
  ];
}

const shown = ({ createdAt, updatedAt, ...one }: Notification) => ({
  ...{ ...one, createdAt: new Date(createdAt).toISOString(), updatedAt: new Date(updatedAt).toISOString() },
});

const columns: Column<Notification>[] = [
  { title: 'USER', cell: ({ userId }) => printable(userId), canShrink: true },
  { title: 'TYPE', cell: ({ type }) => type },
  { title: 'FOLLOWS', cell: (one) => printable(whatOf(one)), canShrink: true },
  { title: 'LANGUAGE', cell: ({ locale }) => locale ?? '' },
  {
    title: 'STANDS',
    cell: ({ inactiveBecause }) => inactiveBecause ?? 'active',
    meaning: ({ inactiveBecause }) => (inactiveBecause === null ? 'good' : 'stopped on purpose'),
  },
  { title: 'ID', cell: ({ id }) => printable(id) },
];

/** The entity of a newsletter, or the series of an alert. */
export function whatOf({ entityCui, config }: Notification): string {
  return entityCui ?? config?.title ?? config?.datasetId ?? JSON.stringify(config?.filter ?? {});
}
