import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { onBothDatabases } from '../support/world.ts';
import { type Answered, keys } from './api-world.ts';
import { closeWithoutTokens, term, unlisted } from './seats-api-world.ts';
import { createSeatsProgramsWorld, path, type SeatsProgramsWorld, service } from './seats-programs-world.ts';

/** Course seats for services and operators, with their keys. */
onBothDatabases('course seats for programs', (dialect) => {
  let world: SeatsProgramsWorld;
  beforeAll(async () => {
    world = await createSeatsProgramsWorld(dialect);
  });
  afterAll(() => closeWithoutTokens(world, 5));

  describe('the catalog', () => {
    test('is searched by code, by index and by words, in one term or campus', async () => {
      const found = async (query: string) =>
        (await world.api.ask('GET', `${path}/courses?${query}`, service)).json.courses.map(
          ({ courseString, sections }: { courseString: string; sections: { index: string }[] }) =>
            `${courseString}: ${sections.map(({ index }) => index).join(' ')}`,
        );
      expect(await found('q=198:111')).toEqual(['01:198:111: 09214 09215']);
      expect(await found('q=computer+sci')).toEqual(['01:198:111: 09214 09215']);
      expect(await found('q=21000')).toEqual(['01:198:112: 21000']);
      expect(await found('q=01:198&campus=NK')).toEqual(['01:198:112: 21000']);
      expect(await found('q=198:111&term=92026')).toEqual([]);
      expect(await found('q=198&limit=1')).toHaveLength(1);
    });

    test('a section with all that there is to know of it', async () => {
      const { json } = await world.api.ask('GET', `${path}/sections/${term}/09214`, { key: keys.read[0] });
      expect(json).toEqual({
        ...{ term, campus: 'NB', index: '09214', number: '05', courseId: world.courseId },
        ...{ courseString: '01:198:111', title: 'INTRO <COMPUTER> SCI & "MORE"', subtitle: null },
        ...{ status: 'Closed', meetings: 'M 10:20-11:40 BUS HIL 114; H 10:20-11:40 BUS HIL 114' },
        ...{ instructors: 'SMITH', specialPermission: 'Department staff' },
        restrictions: 'MAJ: 198 (Computer Science)',
        crossListed: [{ index: '09300', courseString: '04:547:111', sectionNumber: '01' }],
        ...{ notes: 'Bring <b>paper</b>', isGone: false },
        registrationUrl:
          'https://sims.rutgers.edu/webreg/editSchedule.htm?login=cas&semesterSelection=12026&indexList=09214',
      });
    });

    test('what is no term and no index is said, and what is not there is not found', async () => {
      const { status, json } = await world.api.ask('GET', `${path}/sections/32026/9214`, service);
      expect([status, json.details.problems.map(({ field }: { field: string }) => field)]).toEqual([
        400,
        ['term', 'index'],
      ]);
      expect(json.error).toContain('must be a term such as 12026');
      const missing = await world.api.ask('GET', `${path}/sections/${term}/99999`, service);
      expect([missing.status, missing.json.code]).toEqual([404, 'section_not_found']);
    });

    test('the lists say how fresh they are', async () => {
      const { json } = await world.api.ask('GET', `${path}/lists`, { key: keys.read[0] });
      expect(json.lists).toContainEqual(
        expect.objectContaining({
          ...{ term, campus: 'NB', campuses: ['NB', 'NK', 'CM'], openCount: 41 },
          ...{ isStale: false, isHeld: false, heldSince: null, failures: 0, lastError: null },
          goodAt: new Date(world.clock.now()).toISOString(),
        }),
      );
    });
  });

  describe('a watch is asked for', () => {
    test('it is created, waits for its confirmation, and asking again finds it', async () => {
      const body = world.order();
      const first = await world.subscribe(body);
      expect([first.status, first.json]).toEqual([
        201,
        {
          subscriptionId: expect.any(Number),
          ...{ status: 'pending', existing: false, sectionResolved: true, sectionStatus: 'Closed' },
          token: await world.tokenOf(),
        },
      ]);
      const again = await world.subscribe({ ...body, email: body.email.toUpperCase() });
      expect([again.status, again.json]).toEqual([200, { ...first.json, existing: true }]);
    });

    test('an open one is said to be open at once', async () => {
      const { status, json } = await world.subscribe(world.order({ index: '09215' }));
      expect([status, json.sectionStatus]).toEqual([201, 'Open']);
    });

    test('an index that the catalog does not know is watched by its number', async () => {
      const { status, json } = await world.subscribe(world.order({ index: unlisted[0] }));
      expect([status, json.sectionResolved, json.sectionStatus]).toEqual([201, false, 'Open']);
    });

    test('in a term that is over, of a section that is gone, and of one that nobody lists', async () => {
      for (const more of [{ term: '92024' }, { index: '09216' }, { index: '77777' }]) {
        const { status, json } = await world.subscribe(world.order(more));
        expect([more, status, json.code]).toEqual([more, 404, 'section_not_found']);
      }
    });

    test('at a wrong campus: the right one is named', async () => {
      const { status, json } = await world.subscribe(world.order({ index: '21000', campus: 'ONLINE_NB' }));
      expect([status, json.code, json.details]).toEqual([409, 'section_conflict', { campus: 'NK' }]);
      expect(json.error).toContain('NK');
    });

    test.each(['nobody', 'a@b', 'two@example.org, three@example.org', 'a b@example.org'])(
      'for what is no address: %s',
      async (email) => {
        const { status, json } = await world.subscribe(world.order({ email }));
        expect([status, json.code]).toEqual([400, 'invalid_contact']);
        expect(json.error).not.toContain(email);
      },
    );

    test('preferences are kept', async () => {
      const snoozeUntil = new Date(world.clock.now() + 3_600_000).toISOString();
      const deliveryWindow = { startMinutes: 1320, endMinutes: 420 };
      const preferences = { maxNotifications: 3, deliveryWindow, snoozeUntil };
      const token = await world.watched({ preferences, locale: 'ro' });
      const { json } = await world.byToken('GET', token);
      expect([json.preferences, json.locale]).toEqual([{ notifyOn: ['open'], ...preferences }, 'ro']);
    });

    test('a field that is not there is named', async () => {
      const { status, json } = await world.subscribe(world.order({ indx: '09214' }));
      expect([status, json.code]).toEqual([400, 'invalid_request']);
      expect(json.error).toContain('Did you mean index?');
    });

    test('all sections of a course at once', async () => {
      const { index: _, ...body } = world.order({ courseId: world.courseId });
      const first = await world.subscribe(body);
      expect([first.status, first.json.leftOut]).toEqual([201, 0]);
      expect(first.json.watches.map(({ existing }: { existing: boolean }) => existing)).toEqual([
        false,
        false,
      ]);
      const again = await world.subscribe(body);
      expect([
        again.status,
        again.json.watches.map(({ existing }: { existing: boolean }) => existing),
      ]).toEqual([200, [true, true]]);
      const { index: __, ...other } = world.order({ courseId: 987_654 });
      const missing = await world.subscribe(other);
      expect([missing.status, missing.json.code]).toEqual([404, 'section_not_found']);
    });

    test('too many of one address are refused, in the shape of every error', async () => {
      const email = `greedy-${dialect}@example.org`;
      let last: Answered | undefined;
      for (const index of unlisted) {
        last = await world.subscribe(world.order({ email, index }));
        if (last.status !== 201) break;
      }
      expect([last?.status, last?.json.code]).toEqual([429, 'rate_limited']);
      expect(last?.json.details).toEqual({ limit: 'contact' });
    });

    test('without a key, or with one that only reads, nothing is done', async () => {
      const { status } = await world.api.ask('POST', `${path}/subscriptions`, {
        key: null,
        body: world.order(),
      });
      const reading = await world.api.ask('POST', `${path}/subscriptions`, {
        key: keys.read[0],
        body: world.order(),
      });
      expect([status, reading.status]).toEqual([401, 403]);
    });
  });

  describe('an operator reports an opening', () => {
    const report = (body: object, key: string = keys.operator[0]) =>
      world.api.ask('POST', `${path}/openings`, { key, body });

    test('it is recorded once, by hand, and believed', async () => {
      const body = { term, index: '21000' };
      const first = await report(body);
      expect([first.status, first.json]).toEqual([201, { isNew: true, openEventId: expect.any(Number) }]);
      const again = await report(body);
      expect([again.status, again.json]).toEqual([200, { isNew: false, openEventId: null }]);
      const event = await world.db.read
        .selectFrom('open_events')
        .selectAll()
        .where('open_event_id', '=', first.json.openEventId)
        .executeTakeFirstOrThrow();
      expect([event.detected_by, event.trace_id]).toEqual(['manual', first.headers.get('x-request-id')]);
      expect((await world.api.ask('GET', `${path}/sections/${term}/21000`)).json.status).toBe('Open');
    });

    test('of a section that nobody knows it is not, and a service may not', async () => {
      const missing = await report({ term, index: '99998' });
      expect([missing.status, missing.json.code]).toEqual([404, 'section_not_found']);
      expect((await report({ term, index: '09214' }, keys.service[0])).status).toBe(403);
    });
  });

  test('without a feed there are no seats', async () => {
    const without = await world.serve();
    for (const [method, address] of [
      ['GET', '/seats'],
      ['GET', `${path}/lists`],
      ['POST', `${path}/subscriptions`],
    ] as const) {
      expect((await without.ask(method, address)).status).toBe(404);
    }
    expect((await without.ask('GET', '/', { key: null })).text).not.toContain('/seats');
    expect((await world.api.ask('GET', '/', { key: null })).text).toContain('href="/seats"');
  });
});
