import { describe, expect, test } from 'vitest';
import { decimalOf } from '../../../std/decimal.ts';
import { type Period, parsePeriod } from '../period.ts';
import { type BudgetData, type EntityReport, reportKey } from './budget-data.ts';
import { createRunCache } from './run-cache.ts';

const period = parsePeriod('2023') as Period;
const wanted = (cui: string) => ({ cui, period });
const reportOf = (cui: string): EntityReport => ({
  ...{ cui, name: `Entity ${cui}`, currency: 'RON', population: null, before: null, yearToDate: null },
  ...{ income: decimalOf(1), expenses: decimalOf(2), topExpenses: [] },
});

/** Knows every entity but those that begin with 9, answers when it is told to, and notes what it was asked. */
function createSlowBudget() {
  const asked: string[] = [];
  const waiting: (() => void)[] = [];
  let failure: Error | undefined;
  const turn = () =>
    new Promise<void>((resolve, reject) => {
      waiting.push(() => (failure ? reject(failure) : resolve()));
    });
  const budget: BudgetData = {
    async reports(list) {
      asked.push(list.map(({ cui }) => cui).join(' '));
      await turn();
      const known = list.filter(({ cui }) => !cui.startsWith('9'));
      return new Map(known.map((one) => [reportKey(one), reportOf(one.cui)]));
    },
    async seriesValues(list) {
      asked.push(list.map(({ filter }) => JSON.stringify(filter)).join(' '));
      await turn();
      return list.map(({ filter }) => (filter.none ? null : { value: decimalOf(7), unit: 'RON' }));
    },
    async datasets(ids) {
      asked.push(ids.join(' '));
      await turn();
      const dataset = { frequency: 'yearly', unit: '%', titles: {}, values: new Map() } as const;
      return new Map(ids.filter((id) => id !== 'none').map((id) => [id, { id, ...dataset }]));
    },
  };
  return {
    budget,
    asked,
    answer: () => {
      for (const go of waiting.splice(0)) go();
    },
    fail: (error: Error | undefined) => {
      failure = error;
    },
  };
}

async function answered<T>(slow: { answer(): void }, question: Promise<T>): Promise<T> {
  slow.answer();
  return question;
}

describe('a run', () => {
  test('asks for nothing twice, not even for what nobody knows', async () => {
    const slow = createSlowBudget();
    const cache = createRunCache(slow.budget, { entriesMax: 100 });
    const first = await answered(slow, cache.reports(['1', '2', '1', '9'].map(wanted)));
    expect([...first.keys()]).toEqual(['1 2023', '2 2023']);
    const second = await answered(slow, cache.reports(['9', '2', '3'].map(wanted)));
    expect([...second]).toEqual([
      ['2 2023', reportOf('2')],
      ['3 2023', reportOf('3')],
    ]);
    expect(slow.asked).toEqual(['1 2 9', '3']);
  });

  test('who asks while an answer is on its way waits for it', async () => {
    const slow = createSlowBudget();
    const cache = createRunCache(slow.budget, { entriesMax: 100 });
    const both = Promise.all([cache.reports(['1', '2'].map(wanted)), cache.reports(['2', '3'].map(wanted))]);
    const [one, other] = await answered(slow, both);
    expect(one.get('2 2023')).toBe(other.get('2 2023'));
    expect(slow.asked).toEqual(['1 2', '3']);
  });

  test('what failed failed for all who waited, and is asked again', async () => {
    const slow = createSlowBudget();
    const cache = createRunCache(slow.budget, { entriesMax: 100 });
    slow.fail(new Error('no'));
    const both = Promise.allSettled([cache.reports([wanted('1')]), cache.reports([wanted('1')])]);
    expect((await answered(slow, both)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    slow.fail(undefined);
    expect((await answered(slow, cache.reports([wanted('1')]))).size).toBe(1);
    expect(slow.asked).toEqual(['1', '1']);
  });

  test('keeps no more than it may, and forgets the oldest', async () => {
    const slow = createSlowBudget();
    const cache = createRunCache(slow.budget, { entriesMax: 2 });
    const many = await answered(slow, cache.reports(['1', '2', '3'].map(wanted)));
    expect(many.size).toBe(3);
    await answered(slow, cache.reports(['3', '2'].map(wanted)));
    await answered(slow, cache.reports(['1'].map(wanted)));
    expect(slow.asked).toEqual(['1 2 3', '1']);
  });

  test('one period of a series is not another, but the order of its filter says nothing', async () => {
    const slow = createSlowBudget();
    const cache = createRunCache(slow.budget, { entriesMax: 100 });
    const ask = (filter: Record<string, unknown>, key = '2023') =>
      answered(slow, cache.seriesValues([{ filter, period: parsePeriod(key) as Period }]));
    expect(await ask({ a: 1, b: ['x', { c: 2, d: null }] })).toEqual([{ value: '7', unit: 'RON' }]);
    await ask({ b: ['x', { d: null, c: 2 }], a: 1 });
    expect(await ask({ none: true })).toEqual([null]);
    expect(await ask({ none: true })).toEqual([null]);
    expect(slow.asked).toHaveLength(2);
    await ask({ none: true }, '2022');
    await ask({ a: 1, b: [{ c: 2, d: null }, 'x'] });
    expect(slow.asked).toHaveLength(4);
  });

  test('datasets likewise', async () => {
    const slow = createSlowBudget();
    const cache = createRunCache(slow.budget, { entriesMax: 100 });
    expect([...(await answered(slow, cache.datasets(['a', 'none', 'a']))).keys()]).toEqual(['a']);
    await answered(slow, cache.datasets(['none', 'a']));
    expect(slow.asked).toEqual(['a none']);
  });
});

test('closing it closes what it asks, if that can be closed', async () => {
  const { budget } = createSlowBudget();
  const closed: string[] = [];
  const close = async () => {
    closed.push('closed');
  };
  await createRunCache({ ...budget, close }, { entriesMax: 1 }).close?.();
  expect(closed).toEqual(['closed']);
  expect(createRunCache(budget, { entriesMax: 1 }).close).toBeUndefined();
});
