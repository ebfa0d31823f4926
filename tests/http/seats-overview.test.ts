import { afterEach, beforeEach, expect, test } from 'vitest';
import { onBothDatabases } from '../support/world.ts';
import { type Api, keys } from './api-world.ts';
import { createSeatsApiWorld, type SeatsApiWorld, term } from './seats-api-world.ts';

const path = '/api/v1/seats/overview';

onBothDatabases('course seats as the console asks for them', (dialect) => {
  let world: SeatsApiWorld;
  let api: Api;
  beforeEach(async () => {
    world = await createSeatsApiWorld(dialect);
    api = await world.serveSeats();
    await world.poll();
  });
  afterEach(() => world.close());

  const get = async (rest: string) => (await api.ask('GET', `${path}${rest}`, { key: keys.read[0] })).json;
  const isoNow = () => new Date(world.clock.now()).toISOString();
  async function watch(index: string, number: number, { campus = 'NB', isConfirmed = true } = {}) {
    const { subscriptions } = world.seats;
    const made = await subscriptions.create({
      ...{ termId: term, campusCode: campus, indexNumber: index, caller: null },
      email: `person-${number}@example.org`,
    });
    if (!('token' in made)) throw new Error(made.message);
    if (isConfirmed) await subscriptions.confirm(made.token);
    return made.token;
  }
  /** From one poll to the next, until the list is believed. */
  async function listed(indexes: string[]) {
    world.list.indexes = indexes;
    for (let turn = 0; turn < 4; turn++) {
      await world.clock.advance(20_000);
      await world.poll();
    }
  }

  test('watched sections come by term and index, page by page, with how many watch and how each stands', async () => {
    await watch('21000', 1, { campus: 'NK' });
    await watch('09214', 1);
    await watch('09214', 2);
    await watch('09214', 3, { isConfirmed: false });
    await watch('09215', 1);
    await watch('55000', 1);
    const first = await get('/sections?limit=2');
    expect(first).toEqual({
      sections: [
        {
          ...{ term, campus: 'NB', index: '09214', courseString: '01:198:111', number: '05', isGone: false },
          ...{ title: expect.any(String), meetings: expect.stringContaining('M 10:20') },
          ...{ status: 'Closed', since: null, watching: 2, unconfirmed: 1 },
        },
        expect.objectContaining({ index: '09215', status: 'Open', since: null, watching: 1, unconfirmed: 0 }),
      ],
      next: { afterTerm: term, after: '09215' },
    });
    const second = await get(`/sections?limit=2&afterTerm=${term}&after=09215`);
    expect(second.sections).toEqual([
      expect.objectContaining({ index: '21000', campus: 'NK', watching: 1 }),
      expect.objectContaining({ index: '55000', title: null, courseString: null, status: 'Open' }),
    ]);
    expect((await get(`/sections?limit=2&afterTerm=${term}&after=55000`)).sections).toEqual([]);
    expect((await get(`/sections?term=${term}&after=21000`)).sections).toHaveLength(1);
    expect(await get('/sections?term=92025')).toEqual({ sections: [], next: null });
  });

  test('who has left, or rests, is not counted among those who watch; the section’s own page tells of them', async () => {
    const [left, paused] = [await watch('09214', 1), await watch('09214', 2)];
    await world.seats.subscriptions.cancel(left);
    await world.seats.subscriptions.pause(paused);
    expect((await get('/sections')).sections).toEqual([]);
    await watch('09214', 3, { isConfirmed: false });
    const [listing] = (await get('/sections')).sections;
    expect(await get(`/sections/${term}/09214`)).toEqual({
      ...listing,
      ...{ watching: 0, unconfirmed: 1 },
      watches: { pending: 1, active: 0, paused: 1, suppressed: 0, unsubscribed: 1 },
    });
  });

  test('an opening is told with its deliveries, a closing without; each section has its own', async () => {
    await watch('09214', 1);
    await watch('09214', 2);
    await listed([...world.list.indexes, '09214', '56000']);
    const openedAt = (await get(`/sections/${term}/09214`)).since;
    expect(Date.parse(openedAt)).toBeLessThan(world.clock.now());
    expect(await get(`/sections/${term}/09214`)).toMatchObject({ status: 'Open', watching: 2 });
    const before = await get(`/events?term=${term}&index=09214`);
    expect(before.events).toMatchObject([{ isFanningOut: true, deliveries: 0 }]);
    await world.seats.fanOut.runOnce();
    const { events, next } = await get(`/events?term=${term}&index=09214`);
    expect([events, next]).toEqual([
      [
        {
          ...{ openEventId: expect.any(Number), term, campus: 'NB', index: '09214', number: '05' },
          ...{ courseString: '01:198:111', title: expect.any(String), before: 'Closed', status: 'Open' },
          ...{ at: openedAt, detectedBy: 'open_sections', isFanningOut: false, deliveries: 2 },
        },
      ],
      null,
    ]);
    const occasion = `/api/v1/deliveries?source=course-seats&occasion=${events[0].openEventId}`;
    expect((await api.ask('GET', occasion)).json.deliveries).toHaveLength(2);

    await listed(world.list.indexes.filter((index) => index !== '09214'));
    const all = await get('/events?limit=2');
    expect(all.events).toMatchObject([
      { index: '09214', status: 'Closed', before: 'Open', deliveries: 0, isFanningOut: false },
      { index: '56000', status: 'Open', title: 'Section 56000' },
    ]);
    const rest = await get(`/events?limit=2&below=${all.next.below}`);
    expect([rest.events.map(({ index }: { index: string }) => index), rest.next]).toEqual([['09214'], null]);
    expect(await get(`/sections/${term}/09214`)).toMatchObject({ status: 'Closed', since: all.events[0].at });
    // Nobody has ever watched it, and no catalog has it.
    expect(await get(`/sections/${term}/56000`)).toMatchObject({ status: 'Open', title: null, watching: 0 });
  });

  test('the history has every step of its span, and counts each edge once', async () => {
    await watch('09214', 1);
    await listed([...world.list.indexes, '09214']);
    for (const [span, count, stepMinutes] of [
      ['hour', 60, 1],
      ['day', 96, 15],
      ['week', 84, 120],
    ] as const) {
      const history = await get(`/history?span=${span}`);
      expect([history.span, history.stepMinutes, history.steps.length]).toEqual([span, stepMinutes, count]);
      const sum = (name: 'opened' | 'closed') =>
        history.steps.reduce((so: number, step: Record<typeof name, number>) => so + step[name], 0);
      expect([span, sum('opened'), sum('closed')]).toEqual([span, 1, 0]);
      const last = Date.parse(history.steps.at(-1).at);
      expect(world.clock.now() - last).toBeLessThan(stepMinutes * 60_000);
      expect(last - Date.parse(history.steps[0].at)).toBe((count - 1) * stepMinutes * 60_000);
    }
    await world.clock.advance(2 * 3_600_000);
    const hour = await get('/history?span=hour');
    expect(hour.steps.every(({ opened }: { opened: number }) => opened === 0)).toBe(true);
    expect((await get('/history')).span).toBe('day');
  });

  test('how all of it stands, as the command line says it', async () => {
    await watch('09214', 1);
    await watch('09215', 1, { isConfirmed: false });
    await listed([...world.list.indexes, '09214']);
    expect(await get('')).toEqual({
      ...{ isSample: false, moving: [], unfinishedFanOuts: 1, newestAt: expect.any(String) },
      watches: { pending: 1, active: 1, paused: 0, suppressed: 0, unsubscribed: 0 },
      ...{ lastHour: { opened: 1, closed: 0 }, lastDay: { opened: 1, closed: 0 } },
    });
  });

  test('what cannot be is refused, and a service’s key opens none of it', async () => {
    expect(await get(`/sections/${term}/99999`)).toMatchObject({ code: 'section_not_found' });
    expect(await get(`/events?term=${term}`)).toMatchObject({ code: 'invalid_request' });
    expect(await get('/events?index=09214')).toMatchObject({ code: 'invalid_request' });
    expect(await get('/sections?after=1%27%20OR%20true')).toMatchObject({ code: 'invalid_request' });
    for (const rest of ['', '/history', '/sections', `/sections/${term}/09214`, '/events'])
      expect((await api.ask('GET', `${path}${rest}`, { key: keys.service[0] })).status).toBe(403);
  });

  test('an operator’s word that a section is open is in the audit log, with the reason', async () => {
    const body = { term, index: '09214', reason: 'the registrar has called' };
    expect((await api.ask('POST', '/api/v1/seats/openings', { body })).status).toBe(201);
    expect((await api.ask('GET', '/api/v1/audit')).json.lines).toMatchObject([
      {
        ...{ verb: 'POST /api/v1/seats/openings', reason: 'the registrar has called', answer: '201' },
        details: JSON.stringify({ term, index: '09214' }),
      },
    ]);
    expect((await get(`/events?term=${term}&index=09214`)).events).toMatchObject([
      { detectedBy: 'manual', at: isoNow() },
    ]);
  });
});
