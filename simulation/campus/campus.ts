import type { Chance } from '../chance.ts';
import type { Story } from '../story.ts';

/**
 * The truth: which sections there are, and which of them have a seat now. Only the feed and the catalog tell of it, and neither
 * always as it is. Most sections are there to make the lists long: half a list can be told from a whole one only by its length.
 */
export interface Campus {
  readonly sections: readonly Section[];
  /** Those that somebody may watch. */
  readonly chosen: readonly Section[];
  openOf(list: string): string[];
  set(section: Section, isOpen: boolean): void;
  /** So many at once that a list without them looks like half a list. */
  fillUp(): void;
  /** Since when nothing has changed. */
  readonly quietSince: number;
}

export interface Section {
  index: string;
  campusCode: string;
  /** The campus by whose name its list is asked for. */
  list: string;
  /** In the catalog. */
  isKnown: boolean;
  isOpen: boolean;
}

export const termId = '12026';
export const timeZone = 'America/New_York';
export const campusCodes = ['NB', 'NK', 'CM', 'ONLINE_NB'] as const;
/** What the links of watches are signed with. */
export const seatSecrets = ['simulation'];

const fillersMain = 108;
const fillersOnline = 2;
/** More than a tenth of the list, and more than 25: below that a loss is an ordinary one. */
const fillUpBy = 30;

export function createCampus(chance: Chance, clock: { now(): number }, story: Story): Campus {
  const section = (index: number, campusCode: string, more: Partial<Section>): Section => ({
    ...{ index: String(index).padStart(5, '0'), campusCode, isKnown: true, isOpen: true },
    list: campusCode === 'ONLINE_NB' ? campusCode : 'NB',
    ...more,
  });
  const isClosed = () => ({ isOpen: chance.isTrue(0.2) });
  const chosen = [
    section(9214, 'NB', isClosed()),
    section(9215, 'NB', isClosed()),
    section(9216, 'NK', isClosed()),
    section(9217, 'CM', isClosed()),
    section(40001, 'ONLINE_NB', isClosed()),
    section(99001, 'NB', { ...isClosed(), isKnown: false }),
  ];
  const fillers = [
    ...Array.from({ length: fillersMain }, (_, at) => section(10_000 + at, 'NB', {})),
    ...Array.from({ length: fillersOnline }, (_, at) => section(50_000 + at, 'ONLINE_NB', {})),
  ];
  const sections = [...chosen, ...fillers];
  let quietSince = clock.now();

  return {
    sections,
    chosen,
    openOf: (list) =>
      sections
        .filter((each) => each.list === list && each.isOpen)
        .map(({ index }) => index)
        .sort(),
    set(one, isOpen) {
      if (one.isOpen === isOpen) return;
      one.isOpen = isOpen;
      quietSince = clock.now();
      story.tell(`${one.index} ${isOpen ? 'has a seat' : 'is full'}`);
    },
    fillUp() {
      const open = fillers.filter(({ list, isOpen }) => list === 'NB' && isOpen).slice(0, fillUpBy);
      for (const each of open) each.isOpen = false;
      quietSince = clock.now();
      story.tell(`${open.length} sections are full, from ${open[0]?.index} to ${open.at(-1)?.index}`);
    },
    get quietSince() {
      return quietSince;
    },
  };
}
