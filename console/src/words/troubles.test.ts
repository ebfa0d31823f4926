import { expect, test } from 'vitest';
import { troubles } from '../../../src/domain/hindrances.ts';
import { en } from './en.ts';
import { ro } from './ro.ts';

test('each reason for which a circuit opens has its words, in English those of the command line', () => {
  expect(en.home.troubles).toEqual(troubles);
  expect(Object.keys(ro.home.troubles)).toEqual(Object.keys(troubles));
});
