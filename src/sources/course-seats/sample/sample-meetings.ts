import { integerBelow, pick, type Random } from '../../../std/random.ts';
import type { SamplePlace } from './sample-words.ts';

/**
 * When and where a sample section meets, in the feed's own spelling: one entry a day, Thursday H, Saturday S, Sunday U, the
 * time on a twelve-hour face with A or P for its beginning, and everything empty where it is by arrangement.
 */
export interface SampleMeeting {
  campusLocation: string;
  roomNumber: string;
  campusAbbrev: string;
  campusName: string;
  startTimeMilitary: string;
  buildingCode: string;
  meetingModeDesc: string;
  endTimeMilitary: string;
  meetingModeCode: string;
  baClassHours: string;
  pmCode: string;
  meetingDay: string;
  startTime: string;
  endTime: string;
}

const lengthMinutes = 80;
const longMinutes = 180;
const starts = [8 * 60 + 30, 10 * 60 + 20, 12 * 60 + 10, 14 * 60, 15 * 60 + 50, 17 * 60 + 40, 19 * 60 + 30];
const pairs: readonly string[] = ['MH', 'TF', 'MW', 'TH', 'WF'];

/** Of a hundred sections: four on a Saturday or a Sunday, eight by arrangement, ten online; the others twice or once a week. */
export function drawMeetings(random: Random, places: readonly SamplePlace[]): SampleMeeting[] {
  if (places.length === 0) return [online()];
  const place = pick(random, places);
  const dice = random.next();
  if (dice < 0.08) return [byArrangement(place)];
  if (dice < 0.18) return [online()];
  const room = { building: pick(random, place.buildings), number: String(100 + integerBelow(random, 240)) };
  const lecture = { mode: ['02', 'LEC'], start: pick(random, starts), length: lengthMinutes } as const;
  if (dice < 0.22) {
    const day = dice < 0.205 ? 'S' : 'U';
    return [meeting(place, room, day, { ...lecture, start: 9 * 60, length: longMinutes })];
  }
  if (dice < 0.4) return [meeting(place, room, pick(random, [...'MTWHF']), lecture)];
  const weekly = [...pick(random, pairs)].map((day) => meeting(place, room, day, lecture));
  if (dice < 0.8) return weekly;
  // A recitation on another day, or a laboratory of three hours.
  const rest = [...'MTWHF'].filter((day) => weekly.every(({ meetingDay }) => meetingDay !== day));
  const more =
    dice < 0.93
      ? { mode: ['03', 'RECIT'] as const, start: pick(random, starts), length: 55 }
      : { mode: ['05', 'LAB'] as const, start: 12 * 60 + 10, length: longMinutes };
  return [...weekly, meeting(place, room, pick(random, rest), more)];
}

interface Hours {
  mode: readonly [code: string, name: string];
  start: number;
  length: number;
}

function meeting(
  place: SamplePlace,
  room: { building: string; number: string },
  day: string,
  { mode, start, length }: Hours,
): SampleMeeting {
  return {
    ...nowhere,
    ...at(place),
    roomNumber: room.number,
    startTimeMilitary: onFace(start, 24),
    buildingCode: room.building,
    meetingModeDesc: mode[1],
    endTimeMilitary: onFace(start + length, 24),
    meetingModeCode: mode[0],
    baClassHours: '',
    pmCode: start < 12 * 60 ? 'A' : 'P',
    meetingDay: day,
    startTime: onFace(start, 12),
    endTime: onFace(start + length, 12),
  };
}

const byArrangement = (place: SamplePlace): SampleMeeting => ({
  ...nowhere,
  ...at(place),
  meetingModeDesc: 'PROJ-IND',
  meetingModeCode: '19',
});

const online = (): SampleMeeting => ({
  ...nowhere,
  campusLocation: 'O',
  campusAbbrev: 'ONLINE',
  campusName: 'ONLINE',
  meetingModeDesc: 'ONLINE INSTRUCTION(INTERNET)',
  meetingModeCode: '90',
});

const nowhere: Omit<SampleMeeting, 'meetingModeDesc' | 'meetingModeCode'> = {
  ...{ campusLocation: '', roomNumber: '', campusAbbrev: '', campusName: '', startTimeMilitary: '' },
  ...{ buildingCode: '', endTimeMilitary: '', baClassHours: 'B', pmCode: '', meetingDay: '' },
  ...{ startTime: '', endTime: '' },
};

const at = ({ location, abbreviation, name }: SamplePlace) => ({
  campusLocation: location,
  campusAbbrev: abbreviation,
  campusName: name,
});

function onFace(minutes: number, hours: 12 | 24): string {
  const hour = Math.floor(minutes / 60);
  const shown = hours === 24 ? hour : hour % 12 || 12;
  return `${String(shown).padStart(2, '0')}${String(minutes % 60).padStart(2, '0')}`;
}
