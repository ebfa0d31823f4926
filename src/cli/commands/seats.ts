import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { addSeatsIngest } from './seats-ingest.ts';
import { addSeatsPoll } from './seats-poll.ts';
import { addSeatsReport } from './seats-report.ts';
import { addSeatsStatus } from './seats-status.ts';
import { addSeatsWatch } from './seats-watch.ts';

export function addSeats(program: Command, context: Context): void {
  const seats = program
    .command('seats')
    .helpCommand(false)
    .description('Course seats: how the section feed is, and what is watched');
  for (const add of [addSeatsStatus, addSeatsPoll, addSeatsIngest, addSeatsWatch, addSeatsReport]) {
    add(seats, context);
  }
}
