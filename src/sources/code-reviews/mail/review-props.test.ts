import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Finding, type ReviewOrder, reviewProps } from './review-props.ts';

const order = (more: Partial<ReviewOrder> = {}): ReviewOrder => ({
  ...{ changelistId: 'CL-7', version: 3, title: 'Retry uploads', findings: [], ...more },
});
const finding = (message: string, more: Partial<Finding> = {}): Finding => ({
  ...{ severity: 'major', message, file: 'src/a.ts', line: 12, ...more },
});
/** This version and the one before it. */
const since = (before: readonly Finding[], findings: readonly Finding[]) =>
  reviewProps(order({ findings, previous: { version: 2, findings: before } }));

test('a first version has its findings, the gravest first, and nothing to compare with', () => {
  const findings = [
    finding('Name it', { severity: 'info', file: null, line: 4 }),
    finding('Leaks', { line: null }),
    finding('Loses data', { severity: 'critical', file: 'src/b.ts', line: 7 }),
    finding('Also leaks'),
  ];
  expect(reviewProps(order({ findings, url: 'https://r.example/7', summary: ' Two\n\n\nparts ' }))).toEqual({
    ...{ title: 'Retry uploads', changelist: 'CL-7', version: '3' },
    ...{ summary: 'Two\n\nparts', url: 'https://r.example/7' },
    counts: { critical: '1', major: '2', minor: '0', info: '1' },
    findings: [
      { severity: 'critical', message: 'Loses data', place: 'src/b.ts:7' },
      { severity: 'major', message: 'Leaks', place: 'src/a.ts' },
      { severity: 'major', message: 'Also leaks', place: 'src/a.ts:12' },
      { severity: 'info', message: 'Name it' },
    ],
  });
});

test('without findings there are no counts', () => {
  const nothing = { title: 'Retry uploads', changelist: 'CL-7', version: '3', findings: [] };
  expect(reviewProps(order())).toEqual(nothing);
  expect(since([], [])).toEqual({
    ...nothing,
    changes: { previousVersion: '2', added: '0', gone: '0', remaining: '0' },
  });
});

describe('what changed since the version before', () => {
  test('lines move, and a finding stays the same', () => {
    const made = since([finding('Leaks', { line: 12 })], [finding(' Leaks\n', { line: 80 })]);
    expect(made.changes).toEqual({ previousVersion: '2', added: '0', gone: '0', remaining: '1' });
    expect(made.findings).toEqual([{ severity: 'major', message: 'Leaks', place: 'src/a.ts:80' }]);
  });

  test('another file or another message is another finding; the new ones of a severity come first', () => {
    const made = since(
      [finding('Leaks'), finding('Races')],
      [finding('Leaks'), finding('Leaks', { file: 'src/b.ts' }), finding('Hangs', { severity: 'critical' })],
    );
    expect(made.findings).toEqual([
      { severity: 'critical', message: 'Hangs', place: 'src/a.ts:12', isNew: 'true' },
      { severity: 'major', message: 'Leaks', place: 'src/b.ts:12', isNew: 'true' },
      { severity: 'major', message: 'Leaks', place: 'src/a.ts:12' },
    ]);
    expect(made.changes).toEqual({
      ...{ previousVersion: '2', added: '2', gone: '1', remaining: '1' },
      goneFindings: [{ severity: 'major', message: 'Races', place: 'src/a.ts' }],
    });
  });

  test('what has become graver is new, and what it was before is not gone', () => {
    const made = since([finding('Leaks', { severity: 'minor' })], [finding('Leaks')]);
    expect(made.changes).toEqual({ previousVersion: '2', added: '1', gone: '0', remaining: '0' });
    expect(made.findings[0]?.isNew).toBe('true');
  });

  test('the same message several times in a file is several findings', () => {
    const [two, three] = [
      Array<Finding>(2).fill(finding('Unused')),
      Array<Finding>(3).fill(finding('Unused')),
    ];
    expect(since(two, three).changes).toMatchObject({ added: '1', gone: '0', remaining: '2' });
    expect(since(three, two).changes).toMatchObject({ added: '0', gone: '1', remaining: '2' });
    expect(since(two, three).findings.map(({ isNew }) => isNew)).toEqual(['true', undefined, undefined]);
  });

  test('every finding is new or was there; every one before is there, gone, or of another severity now', () => {
    const some = fc.array(
      fc.record({
        severity: fc.constantFrom('critical', 'major', 'minor', 'info'),
        message: fc.constantFrom('a', 'b'),
        file: fc.constantFrom('x', null),
      }),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(some, some, (before, now) => {
        const { changes, findings } = since(before, now);
        const [added, gone, remaining] = [changes?.added, changes?.gone, changes?.remaining].map(Number);
        expect(Number(added) + Number(remaining)).toBe(now.length);
        expect(Number(gone) + Number(remaining)).toBeLessThanOrEqual(before.length);
        expect(findings.filter(({ isNew }) => isNew)).toHaveLength(Number(added));
        expect(since(now, now).changes).toMatchObject({ added: '0', gone: '0' });
      }),
    );
  });
});

describe('bounds', () => {
  const many = (count: number, more: Partial<Finding> = {}) =>
    Array.from({ length: count }, (_, index) => finding(`Finding ${index}`, more));

  test('the gravest are listed, and the others counted', () => {
    const made = reviewProps(order({ findings: [...many(40, { severity: 'info' }), ...many(25)] }));
    expect(made.counts).toEqual({ critical: '0', major: '25', minor: '0', info: '40' });
    expect(made.findings.map(({ severity }) => severity)).toEqual([
      ...Array(25).fill('major'),
      ...Array(5).fill('info'),
    ]);
    expect(made.leftOut).toBe('35');
    expect(reviewProps(order({ findings: many(30) })).leftOut).toBeUndefined();
  });

  test('so are those that are gone', () => {
    const { changes } = since([...many(8, { severity: 'info' }), ...many(4)], []);
    expect(changes).toMatchObject({ gone: '12', goneLeftOut: '2' });
    expect(changes?.goneFindings?.map(({ severity }) => severity)).toEqual([
      ...Array(4).fill('major'),
      ...Array(6).fill('info'),
    ]);
    expect(since(many(10), []).changes?.goneLeftOut).toBeUndefined();
  });

  test("a stranger's words stay within theirs; of a path the end is kept", () => {
    const file = `${'long/'.repeat(100)}name.ts`;
    const made = reviewProps(
      order({
        ...{ title: 't'.repeat(999), changelistId: 'c'.repeat(999), summary: 's'.repeat(9999) },
        findings: [
          finding('m'.repeat(999), { file, line: 5 }),
          finding('x', { file: '😀'.repeat(300), line: null }),
        ],
      }),
    );
    expect([made.title, made.changelist, made.summary].map((one) => one?.length)).toEqual([300, 200, 2000]);
    expect(made.findings[0]?.message).toHaveLength(300);
    expect(made.findings[0]?.place).toMatch(/^….*long\/name\.ts:5$/);
    for (const { place } of made.findings) {
      expect(place?.length).toBeLessThanOrEqual(200);
      expect(place).not.toMatch(/\p{Cs}/u);
    }
    // Two that differ only beyond the bound are two.
    const [one, other] = ['1', '2'].map((end) => finding('m'.repeat(999) + end)) as [Finding, Finding];
    expect(since([one], [other]).changes).toMatchObject({ added: '1', gone: '1' });
  });

  test('nothing that is blank reaches a template', () => {
    const made = reviewProps(
      order({ changelistId: '\n', title: ' ', findings: [finding('\u0000', { file: ' ' })] }),
    );
    expect([made.title, made.changelist, made.findings]).toEqual([
      '…',
      '…',
      [{ severity: 'major', message: '…' }],
    ]);
    expect(reviewProps(order({ title: '' })).title).toBe('CL-7');
  });
});

test.each([
  ['https://r.example/a b?q=ü|x', 'https://r.example/a%20b?q=%C3%BC%7Cx'],
  ['HTTP://R.example', 'http://r.example/'],
  ['https://me:secret@r.example/', undefined],
  ['javascript:alert(1)', undefined],
  ['mailto:a@r.example', undefined],
  ['/reviews/7', undefined],
  [`https://r.example/${'x'.repeat(2048)}`, undefined],
  [null, undefined],
])('the link %s becomes %s', (url, expected) => {
  expect(reviewProps(order({ url })).url).toBe(expected);
});
