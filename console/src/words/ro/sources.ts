import type { sourcesEn } from '../en/sources.ts';
import { manyRo as many } from '../many.ts';
import { periodIn } from '../period.ts';

/** Romanian: what the home page and other lists say of sources. */
export const sourcesRo: typeof sourcesEn = {
  halted: (what) =>
    `${what}: s-a oprit singur, primele mesaje au întâmpinat mai multe probleme decât au voie`,
  reviewers: (count) => `${many(count, 'recenzent nu a', 'recenzenți nu au')} aflat de o recenzie`,
  bySource: 'Mesaje după sursă',
  source: 'Sursă',
  delivered: 'Livrate',
  sent: 'Acceptate, încă fără raport',
  askedFor: 'Cerute',
  names: {
    plain: 'Mesaje cu propriile cuvinte',
    'course-seats': 'Locuri la cursuri',
    'course-seats-verification': 'Locuri la cursuri, de confirmat',
    newsletters: 'Buletine',
    'code-reviews': 'Recenzii de cod',
  },
  runs: 'Buletine pe drum',
  noRuns: 'Niciun buletin nu este pe drum.',
  runOf: (people) => `către ${many(people, 'persoană', 'persoane')}`,
  occasion: (source, occasion) =>
    source === 'course-seats' && /^\d+$/.test(occasion)
      ? `${source}: deschiderea ${occasion}`
      : `${source}: ${source === 'newsletters' ? periodIn('ro')(occasion) : occasion}`,
  ofOccasion: (occasion) => `Doar cele ale ocaziei ${periodIn('ro')(occasion)}.`,
  anyOccasion: 'Arată toate',
  term: (season, year) =>
    `${{ winter: 'Iarna', spring: 'Primăvara', summer: 'Vara', fall: 'Toamna' }[season]} ${year}`,
};
