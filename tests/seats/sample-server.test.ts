import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type RunningSampleCampus,
  startSampleCampus,
} from '../../src/sources/course-seats/sample/sample-server.ts';
import { createManualClock, type ManualClock } from '../../src/std/clock.ts';

const termId = '12027';

let clock: ManualClock;
let sample: RunningSampleCampus;
beforeEach(async () => {
  clock = createManualClock(Date.UTC(2026, 9, 1));
  sample = await startSampleCampus({ clock, termIds: [termId] });
});
afterEach(() => sample.close());

const asking = (campus: string, more = 'year=2027&term=1') => `?${more}&campus=${campus}`;

async function ask(path: string, init?: RequestInit) {
  const response = await fetch(`${sample.url}${path}`, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function list(campus = 'NB'): Promise<string[]> {
  return JSON.parse((await ask(`/openSections.json${asking(campus)}`)).text) as string[];
}

const post = (order: string) => ask(`/_switch?${order}`, { method: 'POST' });

describe('as the real feed answers', () => {
  test('a list of open indexes, the same bytes for three campuses, with other tags', async () => {
    const answers = await Promise.all(
      ['NB', 'NK', 'CM'].map((campus) => ask(`/openSections.json${asking(campus)}`)),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(new Set(answers.map(({ headers }) => headers.get('etag'))).size).toBe(3);
    expect(answers[0]?.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answers[0]?.headers.get('cache-control')).toBe('max-age=30');
    const indexes = JSON.parse(answers[0]?.text ?? '') as string[];
    expect(indexes).toEqual(sample.campus.openIndexes({ termId, campusCode: 'NB' }));
    expect(indexes.every((index) => /^\d{5}$/.test(index))).toBe(true);
    expect(indexes).not.toEqual([...indexes].sort());
  });

  test('a catalog, whole, of the campus that was asked for', async () => {
    const { text, headers } = await ask(`/courses.json${asking('NK')}`);
    expect(headers.get('cache-control')).toBe('max-age=900');
    const courses = JSON.parse(text) as {
      courseString: string;
      sections: { index: string; openStatus: boolean }[];
    }[];
    const known = sample.campus.sections(termId).filter(({ course }) => course.campusCode === 'NK');
    const sections = courses.flatMap((course) => course.sections);
    expect(sections.map(({ index }) => index).sort()).toEqual(known.map(({ index }) => index).sort());
    const open = new Set(await list('NK'));
    expect(sections.every(({ index, openStatus }) => openStatus === open.has(index))).toBe(true);
    expect(courses.every(({ courseString }) => /^\d\d:\d{3}:\d{3}$/.test(courseString))).toBe(true);
  });

  test('zipped for who can unzip, plain for who cannot', async () => {
    const path = `/courses.json${asking('CM')}`;
    const zipped = await ask(path, { headers: { 'accept-encoding': 'gzip' } });
    const plain = await ask(path, { headers: { 'accept-encoding': 'identity' } });
    expect(zipped.headers.get('content-encoding')).toBe('gzip');
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(zipped.text).toBe(plain.text);
  });

  test('an unknown term or campus has an empty list; without a parameter there is a page', async () => {
    for (const path of ['/openSections.json', '/courses.json']) {
      for (const question of [asking('XX'), asking('NB', 'year=2031&term=1'), asking('ONLINE_NB')]) {
        const { status, text } = await ask(path + question);
        expect([status, text]).toEqual([200, '[]']);
      }
      const { status, headers, text } = await ask(`${path}?year=2027&term=1`);
      expect([status, headers.get('content-type')]).toEqual([400, 'text/html;charset=utf-8']);
      expect(text).toMatch(/^<!doctype html>/);
    }
    expect((await ask('/elsewhere')).status).toBe(404);
    expect((await ask(`/openSections.json${asking('NB')}`, { method: 'POST' })).status).toBe(405);
  });
});

describe('its switches', () => {
  test('empty, for so many answers and no longer, and the catalog stays', async () => {
    const before = await list();
    sample.switches.set({ kind: 'empty', answers: 2 });
    expect(await list()).toEqual([]);
    expect((await ask(`/courses.json${asking('CM')}`)).text.length).toBeGreaterThan(1_000);
    expect(await list()).toEqual([]);
    expect(await list()).toEqual(before);
    sample.switches.set({ kind: 'empty', of: 'courses' });
    expect((await ask(`/courses.json${asking('CM')}`)).text).toBe('[]');
    expect(await list()).toEqual(before);
  });

  test('partial, always the same part, until it is off', async () => {
    const before = await list();
    sample.switches.set({ kind: 'partial', fraction: 0.713 });
    const part = await list();
    expect(Math.abs(part.length / before.length - 0.713)).toBeLessThan(0.03);
    expect(before).toEqual(expect.arrayContaining(part));
    expect(await list()).toEqual(part);
    sample.switches.off('partial');
    expect(await list()).toEqual(before);
  });

  test('stale: what opens and closes is not seen until it is off', async () => {
    const before = await list();
    const closed = before[0] as string;
    sample.switches.set({ kind: 'stale' });
    sample.switches.close(closed);
    sample.switches.open('99998');
    await clock.advance(120_000);
    expect(await list()).toEqual(before);
    sample.switches.off();
    const after = await list();
    expect([after.includes(closed), after.includes('99998')]).toEqual([false, true]);
  });

  test('429 with and without a time, 5xx, and a page where a list should be', async () => {
    const path = `/openSections.json${asking('NB')}`;
    sample.switches.set({ kind: 'too_many_requests', retryAfterSeconds: 30, answers: 1 });
    const limited = await ask(path);
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '30']);
    sample.switches.set({ kind: 'too_many_requests', answers: 1 });
    expect((await ask(path)).headers.get('retry-after')).toBeNull();
    sample.switches.set({ kind: 'server_error', answers: 1 });
    expect((await ask(path)).status).toBe(503);
    sample.switches.set({ kind: 'server_error', status: 502, answers: 1 });
    expect((await ask(path)).status).toBe(502);
    sample.switches.set({ kind: 'html', answers: 1 });
    const page = await ask(path);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html;charset=utf-8']);
    expect((await ask(path)).status).toBe(200);
    expect(sample.switches.state().faults).toEqual([]);
  });

  test('slow: the answer comes when the time is over, by the clock', async () => {
    sample.switches.set({ kind: 'slow', ms: 20_000, answers: 1 });
    let isThere = false;
    const answer = list().then(() => {
      isThere = true;
    });
    while (clock.nextWakeMs() === undefined) await new Promise(setImmediate);
    await clock.advance(19_999);
    expect(isThere).toBe(false);
    await clock.advance(1);
    await answer;
  });

  test('torn: the answer begins, and its end never comes', async () => {
    sample.switches.set({ kind: 'torn', answers: 2 });
    for (const path of ['/openSections.json', '/courses.json']) {
      const response = await fetch(`${sample.url}${path}${asking('NB')}`);
      expect(response.status).toBe(200);
      await expect(response.text()).rejects.toThrow();
    }
    expect((await list()).length).toBeGreaterThan(400);
  });

  test('by hand over HTTP, for people: each says what is on now', async () => {
    const index = (await list())[0] as string;
    expect(JSON.parse((await post(`close=${index}`)).text)).toEqual({
      faults: [],
      seats: { [index]: 'closed' },
    });
    expect(await list()).not.toContain(index);
    await post(`oscillate=${index}`);
    expect(await list()).toContain(index);
    await clock.advance(20_000);
    expect(await list()).not.toContain(index);
    await post(`release=${index}`);
    await post('open=99997');
    expect(await list()).toEqual(expect.arrayContaining([index, '99997']));
    for (const [order, fault] of [
      ['empty&answers=3', { kind: 'empty', answers: 3 }],
      ['partial=0.7', { kind: 'partial', fraction: 0.7 }],
      ['stale', { kind: 'stale' }],
      ['429=30', { kind: 'too_many_requests', retryAfterSeconds: 30 }],
      ['5xx', { kind: 'server_error' }],
      ['html', { kind: 'html' }],
      ['slow=3000', { kind: 'slow', ms: 3000 }],
      ['torn', { kind: 'torn' }],
    ] as const) {
      expect(JSON.parse((await post(order)).text).faults).toEqual([fault]);
      await post('off');
    }
    await post('stale');
    await post('5xx');
    expect(JSON.parse((await post('off=5xx')).text).faults).toEqual([{ kind: 'stale' }]);
    // Looking changes nothing.
    await ask('/_switch?off');
    expect(JSON.parse((await ask('/_switch')).text).faults).toEqual([{ kind: 'stale' }]);
  });

  test('an order that cannot be followed is told what could', async () => {
    for (const [order, sentence] of [
      ['oepn=04711', /There is no switch "oepn"\. Did you mean open\?/],
      ['', /Say what\. The switches are open, close/],
      ['open=4711', /takes an index of five digits/],
      ['partial=3', /fraction that is left/],
      ['slow', /takes milliseconds/],
      ['empty&answers=many', /answers= takes a whole number/],
      ['off=nothing', /There is no switch "nothing"/],
    ] as const) {
      const { status, text } = await post(order);
      expect([order, status]).toEqual([order, 400]);
      expect(JSON.parse(text).error).toMatch(sentence);
    }
    expect(sample.switches.state()).toEqual({ faults: [], seats: {} });
  });

  test('whoever waits for a slow answer is let go when the campus closes', async () => {
    sample.switches.set({ kind: 'slow', ms: 60_000 });
    const answer = list().catch(() => 'cut off');
    while (clock.nextWakeMs() === undefined) await new Promise(setImmediate);
    await sample.close();
    expect(await answer).toBe('cut off');
  });
});
