import { expect, test } from 'vitest';
import { foldedWords, searchWordsOf } from './search-words.ts';

test('words are folded: no case, no accents, no signs of their own', () => {
  expect(foldedWords("Élan Vital: Women's 100%_C++ ȘTIINȚĂ ﬁne")).toEqual([
    ...['elan', 'vital', 'womens', '100', 'c', 'stiinta', 'fine'],
  ]);
  expect(foldedWords('%_\\ |#')).toEqual([]);
});

test('a subject of several words is found by its initials', () => {
  const rest = { courseString: '14:332:221', subjectCode: '332', title: 'X', expandedTitle: null };
  const words = (subjectDescription: string | null) => searchWordsOf({ ...rest, subjectDescription });
  expect(words('Electrical and Computer Engineering')).toContain(' ece |');
  expect(words('Mathematics')).toBe(' 14:332:221 332:221 221 332 | x | # mathematics ');
  expect(words(null)).toBe(' 14:332:221 332:221 221 332 | x | # ');
});
