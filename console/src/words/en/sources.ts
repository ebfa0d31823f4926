import { manyEn as many } from '../many.ts';
import { periodIn } from '../period.ts';

/** English: what the home page and other lists say of sources. */
export const sourcesEn = {
  halted: (what: string) => `${what} has halted: its first mails met more trouble than they may`,
  reviewers: (count: number) => `${many(count, 'reviewer has', 'reviewers have')} not heard of a review`,
  bySource: 'Mail by source',
  source: 'Source',
  delivered: 'Delivered',
  sent: 'Accepted, not reported yet',
  askedFor: 'Asked for',
  /** What people call a source; one that is not here goes by its own name. */
  names: {
    plain: 'Mails in your own words',
    'course-seats': 'Course seats',
    'course-seats-verification': 'Course seats, to be confirmed',
    newsletters: 'Newsletters',
    'code-reviews': 'Code reviews',
  } as Readonly<Record<string, string>>,
  runs: 'Newsletters under way',
  noRuns: 'No newsletter is under way.',
  runOf: (people: number) => `to ${many(people, 'person', 'people')}`,
  /** What a delivery is about, as far as its occasion says it. */
  occasion: (source: string, occasion: string) =>
    source === 'course-seats' && /^\d+$/.test(occasion)
      ? `${source}: opening ${occasion}`
      : `${source}: ${source === 'newsletters' ? periodIn('en')(occasion) : occasion}`,
  ofOccasion: (occasion: string) => `Only those of the occasion ${periodIn('en')(occasion)}.`,
  anyOccasion: 'Show all',
  term: (season: 'winter' | 'spring' | 'summer' | 'fall', year: number) =>
    `${{ winter: 'Winter', spring: 'Spring', summer: 'Summer', fall: 'Fall' }[season]} ${year}`,
};
