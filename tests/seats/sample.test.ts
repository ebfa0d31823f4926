import { describe, expect, test } from 'vitest';
import {
  createSampleCampus,
  type SampleCampusOptions,
} from '../../src/sources/course-seats/sample/sample-campus.ts';
import { termEndsAt, termInRegistration } from '../../src/sources/course-seats/term.ts';
import { createManualClock } from '../../src/std/clock.ts';

const termId = '12027';
const newBrunswick = { termId, campusCode: 'NB' };

function campusOf(more: Partial<SampleCampusOptions> = {}) {
  const clock = createManualClock(Date.UTC(2026, 9, 1));
  return { clock, campus: createSampleCampus({ clock, termIds: [termId], ...more }) };
}

describe('the sample campus', () => {
  test('the same seed makes the same campus, another another', () => {
    const textOf = (seed: number) => {
      const { campus } = campusOf({ seed });
      return JSON.stringify([[...campus.courses(newBrunswick)], campus.openIndexes(newBrunswick)]);
    };
    expect(textOf(7)).toBe(textOf(7));
    expect(textOf(7)).not.toBe(textOf(8));
  });

  test('another term has other sections under the same indexes', () => {
    const { campus } = campusOf({ termIds: [termId, '92026'], sections: 6_000 });
    const courseOf = (term: string) =>
      new Map(campus.sections(term).map(({ index, course, number }) => [index, `${course.title} ${number}`]));
    const [one, other] = [courseOf(termId), courseOf('92026')];
    const both = [...one].filter(([index]) => other.has(index));
    expect(both.length).toBeGreaterThan(500);
    expect(both.some(([index, name]) => other.get(index) !== name)).toBe(true);
  });

  test('at real size it has the shares of a real term', () => {
    const { campus } = campusOf({ sections: 16_000 });
    const sections = campus.sections(termId);
    expect(sections).toHaveLength(16_000);
    const share = (is: (section: (typeof sections)[number]) => boolean) =>
      sections.filter(is).length / 16_000;
    expect(Math.abs((campus.openIndexes(newBrunswick)?.length ?? 0) - 13_800)).toBeLessThan(150);
    expect(Math.abs(share(({ permission }) => permission !== null) - 0.25)).toBeLessThan(0.015);
    expect(Math.abs(share(({ openTo }) => openTo !== '') - 0.31)).toBeLessThan(0.015);
    expect(share(({ twin }) => twin !== undefined)).toBeGreaterThan(0.03);
    for (const day of 'MTWHFSU') {
      expect(share(({ meetings }) => meetings.some(({ meetingDay }) => meetingDay === day))).toBeGreaterThan(
        0.01,
      );
    }
    expect(share(({ meetings }) => meetings[0]?.campusAbbrev === 'ONLINE')).toBeGreaterThan(0.05);
    expect(share(({ index }) => index.startsWith('0'))).toBeGreaterThan(0.1);
    const codes = new Set(
      sections.flatMap(({ meetings }) => meetings.map(({ campusAbbrev }) => campusAbbrev)),
    );
    for (const code of ['CAC', 'BUS', 'LIV', 'C/D', 'NWK', 'CAM']) expect(codes).toContain(code);
    // Split pairs: one side open, the other not.
    const { length: split } = sections.filter(({ twin, isOpen }) => twin && twin.isOpen !== isOpen);
    expect(split).toBeGreaterThan(0);
  });

  test('every index is five digits and stands for one section, and every course has a key of its own', () => {
    const { campus } = campusOf({ sections: 16_000, campusCodes: ['NB', 'NK', 'CM', 'ONLINE_NB'] });
    const sections = campus.sections(termId);
    expect(new Set(sections.map(({ index }) => index)).size).toBe(16_000);
    expect(sections.every(({ index }) => /^\d{5}$/.test(index))).toBe(true);
    const keys = campus.campusCodes.flatMap((campusCode) =>
      [...campus.courses({ termId, campusCode })].map((course) =>
        [campusCode, course.courseString, course.supplementCode, course.campusCode].join('|'),
      ),
    );
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys.some((key) => key.split('|')[2] !== '  ')).toBe(true);
    expect(keys.some((key) => key.endsWith('|OC'))).toBe(true);
  });

  test('about ninety of the open ones are in no catalog', () => {
    const { campus } = campusOf({ sections: 16_000 });
    const known = new Set(campus.sections(termId).map(({ index }) => index));
    expect(campus.openIndexes(newBrunswick)?.filter((index) => !known.has(index))).toHaveLength(90);
  });

  test('times are written on a twelve-hour face, as the feed does', () => {
    const { campus } = campusOf({ sections: 3_000 });
    const meetings = campus.sections(termId).flatMap((section) => section.meetings);
    for (const { meetingDay, startTime, startTimeMilitary, pmCode, endTime, endTimeMilitary } of meetings) {
      if (meetingDay === '') {
        expect([startTime, startTimeMilitary, pmCode, endTime, endTimeMilitary].join('')).toBe('');
        continue;
      }
      expect(startTime).toMatch(/^(0[1-9]|1[0-2])[0-5]\d$/);
      const hour = (Number(startTime.slice(0, 2)) % 12) + (pmCode === 'P' ? 12 : 0);
      expect(startTimeMilitary).toBe(`${String(hour).padStart(2, '0')}${startTime.slice(2)}`);
      expect(Number(endTimeMilitary)).toBeGreaterThan(Number(startTimeMilitary));
    }
    expect(meetings.some(({ startTime, pmCode }) => startTime === '1210' && pmCode === 'P')).toBe(true);
  });

  test('cross-listed sections name each other', () => {
    const { campus } = campusOf({ sections: 3_000 });
    const all = [...campus.courses(newBrunswick)].flatMap(({ sections }) => sections);
    const byIndex = new Map(all.map((section) => [section.index, section]));
    const twins = all.filter(({ crossListedSections }) => crossListedSections.length > 0);
    expect(twins.length).toBeGreaterThan(50);
    for (const { index, crossListedSections, crossListedSectionsText } of twins) {
      const [other] = crossListedSections;
      expect(byIndex.get(other?.registrationIndex ?? '')?.crossListedSections[0]?.registrationIndex).toBe(
        index,
      );
      expect(crossListedSectionsText).toContain(`(${other?.registrationIndex})`);
    }
  });

  test('a campus that is larger than five digits is refused', () => {
    expect(() => campusOf({ sections: 100_000 })).toThrow(/too many/);
  });
});

describe('how its seats move', () => {
  test('one opens every twenty to forty seconds, for longer than two polls, and never again before it was long closed', () => {
    const { clock, campus } = campusOf();
    const openings = campus.openings(newBrunswick, clock.now(), clock.now() + 3 * 3_600_000);
    expect(openings.length).toBeGreaterThan(330);
    const lastClosedAt = new Map<string, number>();
    for (const [position, { indexNumber, openedAt, closedAt }] of openings.entries()) {
      const before = openings[position - 1];
      if (before) expect(openedAt - before.openedAt).toBeGreaterThanOrEqual(20_000);
      if (before) expect(openedAt - before.openedAt).toBeLessThanOrEqual(40_000);
      expect(closedAt - openedAt).toBeGreaterThan(60_000);
      expect(openedAt - (lastClosedAt.get(indexNumber) ?? 0)).toBeGreaterThan(180_000);
      lastClosedAt.set(indexNumber, closedAt);
    }
    expect(new Set(openings.map(({ indexNumber }) => indexNumber))).toEqual(
      new Set(campus.popular(newBrunswick)),
    );
  });

  test('the list and the catalog say at every moment what the openings say', async () => {
    const { clock, campus } = campusOf();
    const other = createSampleCampus({ clock, termIds: [termId] });
    const start = clock.now();
    const openings = campus.openings(newBrunswick, start - 600_000, start + 600_000);
    const popular = campus.popular(newBrunswick);
    for (let step = 0; step < 60; step++) {
      await clock.advance(7_000);
      const now = clock.now();
      const expected = openings.filter(({ openedAt, closedAt }) => openedAt <= now && now < closedAt);
      const list = campus.openIndexes(newBrunswick) ?? [];
      expect(new Set(list.filter((index) => popular.includes(index)))).toEqual(
        new Set(expected.map(({ indexNumber }) => indexNumber)),
      );
      expect(other.openIndexes(newBrunswick)).toEqual(list);
      const inCatalog = [...campus.courses(newBrunswick)].flatMap(({ sections }) =>
        sections.filter(({ openStatus }) => openStatus).map(({ index }) => index),
      );
      expect(inCatalog.every((index) => list.includes(index))).toBe(true);
    }
  });

  test('nothing moves where nothing should', async () => {
    const { clock, campus } = campusOf({ openingEveryMs: null });
    const before = campus.openIndexes(newBrunswick)?.sort();
    await clock.advance(3_600_000);
    expect(campus.openIndexes(newBrunswick)?.sort()).toEqual(before);
    expect(campus.openings(newBrunswick, 0, clock.now())).toEqual([]);
  });

  test('campuses that share a list have the same, and an online one has its own', () => {
    const { campus } = campusOf({ campusCodes: ['NB', 'NK', 'CM', 'ONLINE_NB'] });
    const list = (campusCode: string) => campus.openIndexes({ termId, campusCode });
    expect(list('NK')).toEqual(list('NB'));
    expect(list('CM')).toEqual(list('NB'));
    expect(list('ONLINE_NB')?.some((index) => list('NB')?.includes(index))).toBe(false);
    expect(list('ONLINE_NK')).toBeUndefined();
    expect(campus.openIndexes({ termId: '12099', campusCode: 'NB' })).toBeUndefined();
  });

  test('by hand: open, closed, both by turns, and as before', async () => {
    const { clock, campus } = campusOf({ openingEveryMs: null });
    const isListed = (index: string) => campus.openIndexes(newBrunswick)?.includes(index);
    const index = campus.sections(termId).find((section) => !section.isOpen)?.index as string;
    campus.open(index);
    expect([isListed(index), campus.isOpen(termId, index)]).toEqual([true, true]);
    campus.oscillate(index, 10_000);
    const seen: unknown[] = [];
    for (let turn = 0; turn < 4; turn++) {
      seen.push(isListed(index));
      await clock.advance(10_000);
    }
    expect(seen).toEqual([true, false, true, false]);
    campus.release(index);
    expect([isListed(index), campus.isOpen(termId, index)]).toEqual([false, false]);
    const open = campus.openIndexes(newBrunswick)?.[0] as string;
    campus.close(open);
    expect(isListed(open)).toBe(false);
    campus.open('99999');
    expect([isListed('99999'), campus.isOpen(termId, '99999')]).toEqual([true, true]);
    expect(campus.byHand()).toEqual({ [open]: 'closed', 99999: 'open' });
  });
});

test('the term that people register for is never one that is over soon', () => {
  expect(termInRegistration(Date.UTC(2026, 0, 15))).toBe('12026');
  expect(termInRegistration(Date.UTC(2026, 3, 1))).toBe('92026');
  expect(termInRegistration(Date.UTC(2026, 10, 16))).toBe('12027');
  for (let day = 0; day < 730; day++) {
    const now = Date.UTC(2026, 0, 1 + day);
    expect(termEndsAt(termInRegistration(now))).toBeGreaterThan(now + 60 * 86_400_000);
  }
});
