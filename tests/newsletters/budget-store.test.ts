import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { BudgetEntry } from '../../src/sources/newsletters/budget/budget-entry.ts';
import { createBudgetStore } from '../../src/sources/newsletters/budget/budget-store.ts';
import { knownPeriods } from '../../src/sources/newsletters/budget/known-periods.ts';
import { createWorld, onBothDatabases, type World } from '../support/world.ts';
import { amount, both, entity } from './budget-lines.ts';

onBothDatabases('what is imported of budgets', (dialect) => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld(dialect);
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    await world.db.write.deleteFrom('budget_entities').execute();
    await world.db.write.deleteFrom('budget_amounts').execute();
  });
  const store = () => createBudgetStore(world);
  const put = async (...entries: BudgetEntry[]) => (await store().put(entries)).changed;

  describe('put', () => {
    const entries = [
      entity('11'),
      ...both('11', '2023', '10', '5'),
      amount('11', '2023', 'expenses', '5', '65'),
    ];

    test('the same again changes nothing; what differs takes its place', async () => {
      expect(await put(...entries)).toBe(4);
      expect(await put(...entries)).toBe(0);
      expect(await put(...both('11', '2023', '11', '5'), entity('11', { population: 7 }))).toBe(2);
      expect(await put(amount('11', '2023', 'expenses', '5', '65', { chapterName: 'Învățământ' }))).toBe(1);
      const rows = await world.db.read
        .selectFrom('budget_amounts')
        .selectAll()
        .orderBy('side')
        .orderBy('chapter')
        .execute();
      expect(
        rows.map(({ side, chapter, chapter_name, amount, currency }) => [
          side,
          chapter,
          chapter_name,
          amount,
          currency,
        ]),
      ).toEqual([
        ['expenses', '', null, '5', 'RON'],
        ['expenses', '65', 'Învățământ', '5', 'RON'],
        ['income', '', null, '11', 'RON'],
      ]);
    });

    test('who says nothing of an entity takes nothing away from it', async () => {
      await put(entity('11', { entityType: 'uat', countyName: 'CJ' }));
      expect(await put(entity('11', { population: null }))).toBe(0);
      expect(await world.db.read.selectFrom('budget_entities').selectAll().executeTakeFirst()).toMatchObject({
        ...{ cui: '11', name: 'Town 11', entity_type: 'uat', county_name: 'CJ', population: 1000 },
      });
    });

    test('of two in one batch the last holds', async () => {
      expect(
        await put(
          entity('11'),
          entity('11', { name: 'Other' }),
          ...both('11', '2023', '1', '1'),
          ...both('11', '2023', '2', '3'),
        ),
      ).toBe(3);
      const rows = await world.db.read
        .selectFrom('budget_amounts')
        .select('amount')
        .orderBy('amount')
        .execute();
      expect(rows.map((row) => row.amount)).toEqual(['2', '3']);
      const named = await world.db.read.selectFrom('budget_entities').select('name').execute();
      expect(named).toEqual([{ name: 'Other' }]);
    });

    test('a period of an entity has one currency: another one is refused, in a batch and against what is known', async () => {
      const inEuro = { currency: 'EUR' };
      const mixed = [
        ...both('11', '2023', '10', '5'),
        amount('11', '2023', 'expenses', '3', '66', inEuro),
        amount('11', '2022', 'income', '3', '', inEuro),
        amount('12', '2023', 'income', '3', '', inEuro),
        entity('11'),
      ];
      const { changed, refused } = await store().put(mixed);
      expect([changed, [...refused.keys()]]).toEqual([5, [2]]);
      expect(refused.get(2)).toBe(
        'It is in EUR, and the budget of CUI 11 in 2023 is in RON: a period has one currency. To begin it anew in another: npx tidings budget remove 11 2023',
      );
      const later = await store().put([amount('11', '2023', 'income', '9', '', inEuro)]);
      expect([later.changed, later.refused.size]).toEqual([0, 1]);
      expect(await store().remove('11', '2023')).toBe(2);
      expect(await put(amount('11', '2023', 'income', '9', '', inEuro))).toBe(1);
      expect(await store().remove('13', '2023')).toBe(0);
    });

    test('nothing is nothing', async () => {
      expect(await put()).toBe(0);
    });
  });

  test('which periods are known of an entity', async () => {
    const keys = ['2022-12', '2023', '2023-01', '2023-Q1', '2023-02', '2023-Q2'];
    await put(...keys.flatMap((key) => both('11', key, '1', '1')), ...both('12', '2020', '1', '1'));
    expect((await knownPeriods(world.db, '11')).map(({ key }) => key)).toEqual([
      ...['2023', '2023-Q2', '2023-Q1', '2023-02', '2023-01', '2022-12'],
    ]);
  });
});
