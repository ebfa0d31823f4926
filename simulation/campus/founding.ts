import type { Insertable } from 'kysely';
import type { SeatsSchema } from '../../src/db/seats-schema.ts';
import { hourMs } from '../chance.ts';
import type { World } from '../world.ts';
import { campusCodes, termId } from './campus.ts';
import { type CampusSide, createSeatParts } from './seat-parts.ts';

/** What is there when a run begins: the catalog, some who watch, and the books for those who are not processes. Nothing goes wrong yet. */
export async function found(world: World, side: CampusSide): Promise<void> {
  const { campus } = side;
  const { db, clock, chance } = world;
  const stopping = new AbortController();
  const { signal } = stopping;
  const { catalog, events, sources } = createSeatParts({
    ...{
      name: 'the office',
      world,
      campus: side,
      db,
      stopping,
      outbox: world.outbox,
      consent: world.consent,
    },
    faults: { clock, call: (_, work) => work({ beforeWork() {}, beforeCommit() {} }) },
  });
  world.beside.sources = sources;
  await world.commit('the founder', async () => {
    for (const campusCode of campusCodes) await catalog.ingest({ termId, campusCode, signal });
    await events.weighCatalog();
  });
  const watches: Insertable<SeatsSchema['subscriptions']>[] = [];
  for (const section of campus.chosen) {
    for (let left = chance.between(1, 3); left > 0; left--) {
      const number = watches.length + 1;
      const isPending = chance.isTrue(0.12);
      const start = chance.one([null, null, null, 0, 600, 1_080, 1_320]);
      watches.push({
        ...{
          section_id: null,
          term_id: termId,
          campus_code: section.campusCode,
          index_number: section.index,
        },
        ...{
          contact_type: 'email',
          contact_value: `student${number}@example.org`,
          contact_hash: `hash-${number}`,
        },
        ...{ locale: chance.one([null, 'en', 'ro', 'zh-CN']), status: isPending ? 'pending' : 'active' },
        ...{ last_known_section_status: chance.one([null, 'Closed'] as const) },
        max_notifications: chance.one([null, null, null, 1, 2]),
        window_start_minutes: start,
        window_end_minutes: start === null ? null : (start + chance.one([240, 600, 720])) % 1_440,
        snooze_until: chance.isTrue(0.1) ? clock.now() + chance.between(0, 2 * hourMs) : null,
        ...{
          token_id: `token${String(number).padStart(17, '0')}`,
          verified_at: isPending ? null : clock.now(),
        },
        ...{ left_at: null, status_before_leaving: null, created_at: clock.now(), updated_at: clock.now() },
      });
    }
  }
  await world.commit('the founder', () => db.write.insertInto('subscriptions').values(watches).execute());
}
