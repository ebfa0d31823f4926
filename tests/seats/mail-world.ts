import type { DialectName } from '../../src/db/dialect.ts';
import { createSeatSource, type SeatSourceParts } from '../../src/sources/course-seats/mail/seat-source.ts';
import { noRegistrationUrl } from '../../src/sources/course-seats/registration.ts';
import type { Source } from '../../src/sources/source.ts';
import { silentLog } from '../../src/std/log.ts';
import { consentOf } from '../support/consent.ts';
import { createSeatsWorld, type SeatsWorld } from './seats-world.ts';

/** The small campus with its mails: what is told waits in the queue, and a turn sends it. */
export interface MailWorld extends SeatsWorld {
  source: Source;
  /** A row of spec 000's queue: `skipped paused 1` is its status, its error's code and its attempts. */
  queue(seq: number): Promise<string>;
  dueAt(seq: number): Promise<number | null>;
}

export const timeZone = 'America/New_York';

export function seatSourceOf(world: SeatsWorld, more: Partial<SeatSourceParts> = {}): Source {
  return createSeatSource({
    ...{ db: world.db, clock: world.clock, log: silentLog, timeZone, verifiesAddresses: true },
    tokenOf: (tokenId) => `t-${tokenId}`,
    links: {
      manageUrl: (token) => `https://seats.example.org/manage/${token}`,
      unsubscribeUrls: consentOf(world).unsubscribe.linksFor,
    },
    subscriptions: { left: async () => {}, returned: async () => {}, recipientsAt: async () => [] },
    registrationUrl: noRegistrationUrl,
    ...more,
  });
}

export async function createMailWorld(
  dialect: DialectName,
  more: Partial<SeatSourceParts> = {},
): Promise<MailWorld> {
  const world = await createSeatsWorld(dialect);
  const source = seatSourceOf(world, more);
  world.keepBooks(source);
  return {
    ...world,
    source,
    async queue(seq) {
      const row = await world.db.read
        .selectFrom('open_event_notifications')
        .selectAll()
        .where('notification_id', '=', seq)
        .executeTakeFirstOrThrow();
      const { code } = JSON.parse(row.error ?? '{}') as { code?: string };
      return [row.fanout_status, code, row.fanout_attempts].filter((part) => part !== undefined).join(' ');
    },
    dueAt: async (seq) => (await world.find(seq))?.due_at ?? null,
  };
}
