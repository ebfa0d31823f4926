/** Nobody's names, at addresses that lead nowhere: whoever is told something in the first minute. */
const firstNames = [
  'Ana',
  'Bogdan',
  'Corina',
  'Dan',
  'Elena',
  'Filip',
  'Gabriela',
  'Horia',
  'Ioana',
  'Jan',
  'Karin',
  'Luca',
];
const lastNames = ['Albu', 'Brand', 'Costin', 'Dobre', 'Engel', 'Farkas', 'Groza', 'Hagi'];

interface SamplePerson {
  id: string;
  email: string;
  /** A half of them reads Romanian. */
  locale: 'en' | 'ro';
}

const everybody: readonly SamplePerson[] = lastNames.flatMap((last, row) =>
  firstNames.map((first, column) => ({
    id: `sample-${first}-${last}`.toLowerCase(),
    email: `${first}.${last}@example.org`.toLowerCase(),
    locale: (row + column) % 2 === 0 ? 'en' : 'ro',
  })),
);

export const students = everybody.slice(0, 12);
export const citizens = everybody.slice(12, 36);
export const reviewers = everybody.slice(36, 40);
export const neighbours = everybody.slice(40, 88);
