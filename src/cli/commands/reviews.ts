import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { addDeadLetters } from './reviews-dead-letters.ts';
import { addList, addShow } from './reviews-list.ts';
import { addRetry } from './reviews-retry.ts';
import { addSubmit } from './reviews-submit.ts';

export function addReviews(program: Command, context: Context): void {
  const reviews = program
    .command('reviews')
    .description('Code reviews: submit one, see who has been told, see to what did not arrive');
  for (const add of [addSubmit, addList, addShow, addRetry, addDeadLetters]) add(reviews, context);
}
