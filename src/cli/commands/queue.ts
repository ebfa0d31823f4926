import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { addQueueFailed } from './queue-failed.ts';
import { addQueueRetry } from './queue-retry.ts';
import { addQueueStatus } from './queue-status.ts';

export function addQueue(program: Command, context: Context): void {
  const queue = program
    .command('queue')
    .helpCommand(false)
    .description('See the queues by which several processes share their work (JOBS_ENABLED=true)');
  for (const add of [addQueueStatus, addQueueFailed, addQueueRetry]) add(queue, context);
}
