import { afterEach, beforeEach, expect, it } from 'vitest';
import { statuses, statusNames } from '../../src/domain/status.ts';
import { seatWords, skippedCodes } from '../../src/sources/course-seats/words.ts';
import { onBothDatabases } from '../support/world.ts';
import { createSeatsWorld, type SeatsWorld } from './seats-world.ts';

onBothDatabases("spec 000's words", (dialect) => {
  let world: SeatsWorld;
  beforeEach(async () => {
    world = await createSeatsWorld(dialect);
  });
  afterEach(() => world.close());

  it('000-05 The source and the view say the same of every status, accepted or not, whatever went wrong', async () => {
    const codes = [null, ...skippedCodes, 'too_many_attempts', 'body_too_big'];
    const cases = statusNames.flatMap((status) =>
      (statuses[status].mailExists === 'yes' ? [true] : [false, true]).flatMap((wasAccepted) =>
        codes.map((errorCode) => ({ status, wasAccepted, errorCode })),
      ),
    );
    await world.outbox.enqueue(
      cases.map((_, at) => ({
        ...{ source: 'course-seats', lane: 'urgent', occasion: String(at + 1), recipient: '1' },
      })),
    );
    // Straight into the table: the view is to be read in every status, also in those that need a worker to get into.
    for (const [at, { status, wasAccepted, errorCode }] of cases.entries()) {
      await world.db.write
        .updateTable('deliveries')
        .set({
          status,
          sent_at: wasAccepted ? 1 : null,
          last_error: errorCode === null ? null : JSON.stringify({ code: errorCode }),
          first_possible_accept_at: statuses[status].mailExists === 'perhaps' ? 1 : null,
          ...(['claimed', 'sending'].includes(status) && { locked_by: 'worker', locked_at: 1, lease: 1 }),
        })
        .where('occasion', '=', String(at + 1))
        .execute();
    }
    const rows = await world.db.read
      .selectFrom('open_event_notifications')
      .select(['open_event_id', 'fanout_status'])
      .orderBy('open_event_id')
      .execute();
    expect(rows.map(({ fanout_status }, at) => ({ ...cases[at], word: fanout_status }))).toEqual(
      cases.map((told) => ({ ...told, word: seatWords(told) })),
    );
    expect(new Set(rows.map(({ fanout_status }) => fanout_status))).toEqual(
      new Set(['pending', 'sent', 'skipped', 'failed', 'expired']),
    );
  });
});
