import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { addExplain } from './deliveries-explain.ts';
import { addList } from './deliveries-list.ts';
import { addRequeue } from './deliveries-requeue.ts';
import { addResolve } from './deliveries-resolve.ts';
import { addShow } from './deliveries-show.ts';

export function addDeliveries(program: Command, context: Context): void {
  const deliveries = program
    .command('deliveries')
    .helpCommand(false)
    .description('See who was told what, and help those that are stuck');
  for (const add of [addList, addExplain, addShow, addRequeue, addResolve]) add(deliveries, context);
}
