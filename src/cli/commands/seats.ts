import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { addSeatsIngest } from './seats-ingest.ts';
import { addSeatsPoll } from './seats-poll.ts';
import { addSeatsReport } from './seats-report.ts';
import { addSeatsStatus } from './seats-status.ts';
import { addSeatsUnwatch } from './seats-unwatch.ts';
import { addSeatsWatch } from './seats-watch.ts';
import { addSeatsWatches } from './seats-watches.ts';

export function addSeats(program: Command, context: Context): void {
  const seats = program
    .command('seats')
    .helpCommand(false)
    .description('Course seats: how the section feed is, and what is watched');
  const watching = [addSeatsWatch, addSeatsWatches, addSeatsUnwatch];
  for (const add of [addSeatsStatus, addSeatsPoll, addSeatsIngest, ...watching, addSeatsReport]) {
    add(seats, context);
  }
}
