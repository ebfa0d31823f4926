import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCatalog } from '../../src/sources/course-seats/catalog/catalog.ts';
import type { Feed } from '../../src/sources/course-seats/feed/feed.ts';
import { createHttpFeed } from '../../src/sources/course-seats/feed/http-feed.ts';
import { silentLog } from '../../src/std/log.ts';
import { onBothDatabases } from '../support/world.ts';
import { createPollerWorld, type PollerWorld } from './poller-world.ts';
import { termId } from './seats-world.ts';

/** A real campus's answers, over HTTP, read and polled. Not everybody has them: the sample campus stands in for them in other tests. */
const folder = new URL('../../../shared/data/soc/', import.meta.url);
const files: Readonly<Record<string, string>> = {
  '/openSections.json': 'openSections-CM-198.json',
  '/courses.json': 'courses-CM-198.json',
};
const present = Object.values(files).map((name) => existsSync(new URL(name, folder)));

test('there are both answers of a real campus, or none', () => {
  expect(new Set(present).size).toBe(1);
});

if (!present.includes(false)) {
  onBothDatabases('the answers of a real campus, over HTTP', (dialect) => {
    let world: PollerWorld;
    let server: Server;
    let feed: Feed;
    beforeEach(async () => {
      world = await createPollerWorld(dialect);
      server = createServer((request, response) => {
        const name = files[new URL(request.url ?? '/', 'http://x').pathname];
        if (name === undefined) return response.writeHead(404).end();
        response.setHeader('content-type', 'application/json');
        response.end(readFileSync(new URL(name, folder)));
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      feed = createHttpFeed({ baseUrl: `http://127.0.0.1:${port}`, clock: world.clock });
    });
    afterEach(async () => {
      await feed.close();
      await new Promise((resolve) => server.close(resolve));
      await world.close();
    });

    test('every section resolves and stands as the list has it; polled again, nothing opens', async () => {
      const list = { termId, campusCode: 'CM' };
      const { db, clock } = world;
      const catalog = createCatalog({ db, clock, log: silentLog, feed });
      const read = await catalog.ingest({ ...list, signal: new AbortController().signal });
      expect(read).toMatchObject({ kind: 'ingested', courses: 33, sections: 49, unusable: 0 });

      const poller = world.poller({ feed, configured: { termIds: [termId], campusCodes: ['CM'] } });
      expect(await poller.pollNow(list)).toMatchObject([{ kind: 'heard' }]);
      await clock.advance(15_000);
      expect(await poller.pollNow(list)).toMatchObject([{ kind: 'heard', opened: [], closed: [] }]);

      const listed: string[] = JSON.parse(
        readFileSync(new URL(files['/openSections.json'] ?? '', folder), 'utf8'),
      );
      const rows = await db.read
        .selectFrom('sections')
        .select(['index_number', 'last_known_section_status', 'meeting_summary'])
        .execute();
      expect(listed.filter((index) => !rows.some((row) => row.index_number === index))).toEqual([]);
      const open = rows.filter((row) => row.last_known_section_status === 'Open');
      expect(open.map((row) => row.index_number).sort()).toEqual([...listed].sort());
      expect(rows.filter((row) => row.meeting_summary.includes('H ')).length).toBeGreaterThan(0);
    });
  });
}
