import { describe, expect, it } from 'vitest';
import { nearest } from './nearest.ts';

describe('nearest', () => {
  it.each([
    ['DATABSE_URL', 'DATABASE_URL'],
    ['database_url', 'DATABASE_URL'],
    ['DATABASE_ULR', 'DATABASE_URL'],
    ['PROT', 'PORT'],
    ['PORTT', 'PORT'],
    ['COLOUR', undefined],
    ['', undefined],
  ])('%s was probably %s', (word, meant) => {
    expect(nearest(word, ['PORT', 'DATABASE_URL'])).toBe(meant);
  });

  it('takes the nearest of several, and a swap of neighbours for one slip', () => {
    expect(nearest('sned', ['seen', 'send'])).toBe('send');
    expect(nearest('abcd', ['badc', 'abdd'])).toBe('abdd');
    expect(nearest('abcd', ['bacde'], 1)).toBeUndefined();
  });
});
