import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RunningSampleCampus } from '../../src/sources/course-seats/sample/sample-server.ts';

/** The sample campus, but of two of its sections and their courses every text that the catalog takes over is what a test has planted. */
export interface HostileCampus {
  url: string;
  close(): Promise<void>;
}

type Plant = (field: string) => string;
type Json = Record<string, unknown>;

/** The long title hides the short one: each of the two shows one of them. */
export async function startHostileCampus(
  campus: RunningSampleCampus,
  indexes: { withLongTitle: string; withShortTitle: string },
  plant: Plant,
): Promise<HostileCampus> {
  const server = createServer((request, response) => {
    answer(request.url ?? '/').then(
      (body) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(body));
      },
      () => response.destroy(),
    );
  });

  async function answer(path: string): Promise<unknown> {
    const body = await (await fetch(campus.url + path)).json();
    if (!path.startsWith('/courses.json')) return body;
    return (body as Json[]).map((course) => {
      const has = (index: string) => (course.sections as Json[]).some((section) => section.index === index);
      if (has(indexes.withLongTitle)) return hostileCourse(course, indexes.withLongTitle, plant);
      return has(indexes.withShortTitle)
        ? { ...course, title: plant('title'), expandedTitle: '', subject: plant('subject') }
        : course;
    });
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

const hostileCourse = (course: Json, index: string, plant: Plant) => ({
  ...course,
  expandedTitle: plant('expandedTitle'),
  courseString: plant('courseString'),
  sections: (course.sections as Json[]).map((section) =>
    section.index === index ? hostileSection(section, plant) : section,
  ),
});

const hostileSection = (section: Json, plant: Plant) => ({
  ...section,
  number: plant('number'),
  subtitle: plant('subtitle'),
  instructors: [{ name: plant('instructor') }],
  specialPermissionAddCodeDescription: plant('permission'),
  openToText: plant('openTo'),
  sectionEligibility: plant('eligibility'),
  sectionNotes: plant('notes'),
  commentsText: plant('comments'),
  crossListedSections: [
    {
      ...{ registrationIndex: '99998', offeringUnitCode: '01', subjectCode: '198' },
      ...{ courseNumber: plant('twinCourse'), sectionNumber: plant('twinSection') },
    },
  ],
  meetingTimes: [
    {
      ...{ meetingDay: 'M', startTimeMilitary: '1020', endTimeMilitary: '1140', meetingModeDesc: 'LEC' },
      ...{ campusAbbrev: plant('place'), buildingCode: plant('building'), roomNumber: plant('room') },
    },
  ],
});
