import { describe, expect, test } from 'vitest';
import { readDataset } from './dataset-text.ts';

const id = 'ro.test.yearly';
const yaml = (data: string, frequency = 'yearly') => `metadata:
  id: "${id}"
  units: "RON"
i18n:
  ro: { title: "Rata" }
  en: { title: Rate, xAxisLabel: Year }
  fr: {}
axes:
  x: { type: date, frequency: ${frequency} }
  y: { unit: "%" }
data:
${data}
`;
const read = (text: string) => readDataset(text, 'yaml', id);
const valuesOf = (text: string) => {
  const found = read(text);
  return 'dataset' in found ? [...found.dataset.values] : found;
};

test('who it is, what it is called, and its values to the last digit', () => {
  const points = [
    '{ x: "1971", y: 0.60 }',
    '{ x: 1972, y: -1.5 }',
    '{ x: "1973", y: "2" }',
    '{ x: 1974, y: 1e3 }',
  ];
  expect(read(yaml(points.map((point) => `  - ${point}`).join('\n')))).toEqual({
    dataset: {
      ...{ id, frequency: 'yearly', unit: '%', titles: { ro: 'Rata', en: 'Rate' } },
      values: new Map([
        ['1971', '0.6'],
        ['1972', '-1.5'],
        ['1973', '2'],
        ['1974', '1000'],
      ]),
    },
  });
});

test('a number that a float cannot hold stays what it is, in YAML and in JSON', () => {
  expect(valuesOf(yaml('  - { x: 2023, y: 9007199254740993.10 }'))).toEqual([['2023', '9007199254740993.1']]);
  const json = `{"axes":{"x":{"frequency":"monthly"}},"data":[{"x":"2023-01","y":9007199254740993.10}]}`;
  expect(readDataset(json, 'json', id)).toEqual({
    dataset: {
      id,
      frequency: 'monthly',
      unit: '',
      titles: {},
      values: new Map([['2023-01', '9007199254740993.1']]),
    },
  });
});

test('a point without a value is not known yet', () => {
  expect(
    valuesOf(yaml('  - { x: 2023, y: }\n  - { x: 2024, y: ~ }\n  - { x: 2025 }\n  - { x: 2026, y: null }')),
  ).toEqual([]);
});

test.each(['monthly', 'quarterly'])('of %s points', (frequency) => {
  const key = frequency === 'monthly' ? '2023-02' : '2023-Q2';
  expect(valuesOf(yaml(`  - { x: ${key}, y: 5 }`, frequency))).toEqual([[key, '5']]);
});

describe('what is wrong is told', () => {
  test.each([
    [yaml('  - { x: 2023-01, y: 5 }'), 'Point 1 is of "2023-01", which is no period of a yearly dataset.'],
    [yaml('  - { x: 2023, y: 5 }\n  - { x: 2023, y: 6 }'), 'It has two points of 2023.'],
    [yaml('  - { x: 2023, y: five }'), 'The value of 2023 is no number: "five".'],
    [yaml('  - { x: 2023, y: "1,5" }'), 'The value of 2023 is no number: "1,5".'],
    [yaml('  - 5'), 'Point 1 is of "", which is no period of a yearly dataset.'],
    [yaml('  x: 5'), 'It has no list that is called data.'],
    [yaml('', 'daily'), 'Its axes.x.frequency is none of monthly, quarterly and yearly.'],
    [yaml('').replace(id, 'other'), 'It says that its id is "other".'],
    ['', 'Its axes.x.frequency is none of monthly, quarterly and yearly.'],
    ['- 1', 'Its axes.x.frequency is none of monthly, quarterly and yearly.'],
  ])('%#', (text, problem) => {
    expect(read(text)).toEqual({ problem });
  });

  test.each([
    ['a: &a [x]\nb: *a', /^It is no YAML: Alias/],
    ['a: [', /^It is no YAML: /],
    ['a: 1\na: 2', /^It is no YAML: .*unique/],
    ['a: 1\n---\nb: 2', /^It is no YAML: .*multiple documents/],
    ['['.repeat(50_000), /^It is no YAML: /],
  ])('what is no YAML: %.20j', (text, problem) => {
    expect(read(text)).toEqual({ problem: expect.stringMatching(problem) });
  });

  test('what is no JSON', () => {
    expect(readDataset('{"a":', 'json', id)).toEqual({ problem: 'It ends before it is complete.' });
  });
});
