import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Feed } from '../../src/sources/course-seats/feed/feed.ts';
import { readListBody } from '../../src/sources/course-seats/feed/list-body.ts';
import {
  createSampleCampus,
  type SampleCampus,
} from '../../src/sources/course-seats/sample/sample-campus.ts';
import { createManualClock, type ManualClock } from '../../src/std/clock.ts';
import { addWatches } from './add-watches.ts';
import { nobody, openSeatsEngine, type SeatsEngine } from './engine-on.ts';

/**
 * The sample campus of real size as it opens and closes by itself, hours of it in a minute: from each opening to the provider,
 * by a clock that only passes while the engine waits. What the processor takes is not in it. Nobody is woken: the fan-out and
 * the dispatch are taken for other processes', which look every 250 ms and have just looked.
 */
export interface VirtualOrder {
  openings: number;
  sections: number;
  /** How old a list may be that the feed answers with. */
  cachedMs: number;
}

const termId = '12026';
const list = { termId, campusCode: 'NB' };
const lookMs = 250;

export async function timesOfOpenings(order: VirtualOrder): Promise<number[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tidings-bench-'));
  const clock = createManualClock();
  const campus = createSampleCampus({ clock, termIds: [termId], sections: order.sections });
  const told: { indexNumber: string; at: number }[] = [];
  const engine = await openSeatsEngine({
    ...{ databaseUrl: `sqlite:${join(folder, 'virtual.db')}`, clock, termIds: [termId] },
    feed: feedOf(campus, clock, order.cachedMs),
    provider: {
      ...nobody,
      async send({ key, mail }) {
        told.push({ indexNumber: mail.to.slice(termId.length + 1, termId.length + 6), at: clock.now() });
        return { kind: 'accepted', messageId: key };
      },
    },
  });
  try {
    for (const index of campus.popular(list)) await addWatches(engine.db, { termId, index, count: 1 });
    // The first list is nobody's opening, and what is open then may close before it counts.
    const from = clock.now() + 600_000;
    await live(engine, clock, from);
    const all = campus.openings(list, from, from + order.openings * 60_000);
    const openings = all.slice(0, order.openings);
    await live(engine, clock, (openings.at(-1)?.openedAt ?? from) + 120_000);
    return openings.map(({ indexNumber, openedAt, closedAt }) => {
      const mails = told.filter(
        (mail) => mail.indexNumber === indexNumber && mail.at >= openedAt && mail.at < closedAt + 120_000,
      );
      const [mail] = mails;
      if (!mail || mails.length > 1)
        throw new Error(`${mails.length} mails for the opening of ${indexNumber}`);
      return mail.at - openedAt;
    });
  } finally {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function live({ seats, dispatch }: SeatsEngine, clock: ManualClock, until: number): Promise<void> {
  const signal = new AbortController().signal;
  while (clock.now() < until) {
    const nextAt = clock.now() + (await seats.poller.runOnce(signal));
    await clock.advance(lookMs);
    if ((await seats.fanOut.runOnce()) > 0) {
      await clock.advance(lookMs);
      while ((await dispatch.runOnce(signal)).handled > 0) {}
    }
    await clock.advance(Math.max(0, nextAt - clock.now()));
  }
}

/** In memory, but read as what comes over a socket is. */
function feedOf(campus: SampleCampus, clock: ManualClock, cachedMs: number): Feed {
  const kept = new Map<string, { body: Buffer; at: number }>();
  return {
    async openSections(key) {
      const name = `${key.termId} ${key.campusCode}`;
      const last = kept.get(name);
      if (last && clock.now() - last.at < cachedMs) return readListBody(last.body);
      const body = Buffer.from(JSON.stringify(campus.openIndexes(key) ?? []));
      kept.set(name, { body, at: clock.now() });
      return readListBody(body);
    },
    courses: async () => ({ kind: 'failed', status: 404, code: 'http_404', message: 'nobody asks for it' }),
    close: async () => {},
  };
}
