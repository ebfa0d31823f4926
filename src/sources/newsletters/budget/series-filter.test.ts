import { expect, test } from 'vitest';
import { readSeriesFilter } from './series-filter.ts';

test('both spellings of its names are one, and the period is not taken from it', () => {
  const filter = {
    ...{ accountCategory: 'ch', entityCuis: ['4305857'], functional_prefixes: ['65'], minPopulation: 5 },
    ...{
      reportPeriod: { type: 'YEAR' },
      exclude: { economicPrefixes: ['51'] },
      search: null,
      is_uat: undefined,
    },
  };
  expect(readSeriesFilter(filter)).toEqual({
    filter: {
      ...{ account_category: 'ch', entity_cuis: ['4305857'], functional_prefixes: ['65'], min_population: 5 },
      exclude: { economic_prefixes: ['51'] },
    },
  });
});

test.each([
  [{}, 'account_category must be vn, for income, or ch, for expenses.'],
  [{ account_category: 'x' }, 'account_category cannot be "x".'],
  [{ account_category: 'ch', nonsense: 1 }, 'There is no nonsense in a filter.'],
  [{ account_category: 'ch', entity_cuis: '4305857' }, 'entity_cuis cannot be "4305857".'],
  [{ account_category: 'ch', entity_cuis: [4305857] }, 'entity_cuis cannot be [4305857].'],
  [{ account_category: 'ch', normalization: 'per_cow' }, 'normalization cannot be "per_cow".'],
  [
    { account_category: 'ch', report_type: 'COMMITMENT_DETAILED' },
    'report_type cannot be "COMMITMENT_DETAILED".',
  ],
  [{ account_category: 'ch', is_uat: 'yes' }, 'is_uat cannot be "yes".'],
  [{ account_category: 'ch', min_population: 1.5 }, 'min_population cannot be 1.5.'],
  [{ account_category: 'ch', exclude: { is_uat: true } }, 'exclude cannot be {"is_uat":true}.'],
  [{ account_category: 'ch', exclude: ['x'] }, 'exclude cannot be ["x"].'],
  [{ account_category: 'ch', constructor: [] }, 'There is no constructor in a filter.'],
  [{ account_category: 'ch', search: 'x'.repeat(201) }, expect.stringMatching(/^search cannot be "x+\.$/)],
])('%j is none: %s', (filter, problem) => {
  expect(readSeriesFilter(filter)).toEqual({ problem });
});
