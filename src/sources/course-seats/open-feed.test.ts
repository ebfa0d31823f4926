import { expect, test } from 'vitest';
import { createManualClock } from '../../std/clock.ts';
import { openFeed } from './open-feed.ts';

const order = { baseUrl: 'http://127.0.0.1:1/soc', termIds: [], campusCodes: ['NB'], isReal: true };

test('a feed without a word about terms is asked for the one that people register for, as years go by', async () => {
  const clock = createManualClock(Date.UTC(2026, 8, 30));
  const opened = await openFeed(order, clock);
  expect(opened?.configured.termIds).toEqual(['92026']);
  await clock.advance(2 * 86_400_000);
  expect(opened?.configured.termIds).toEqual(['12027']);
  await opened?.feed.close();
});

test('whoever names terms has those, and no others', async () => {
  const opened = await openFeed({ ...order, termIds: ['72026'] }, createManualClock(Date.UTC(2026, 8, 30)));
  expect(opened?.configured).toMatchObject({ termIds: ['72026'], campusCodes: ['NB'] });
  await opened?.feed.close();
});

test('where mail leaves the machine, nobody is told of a sample’s seats', async () => {
  const clock = createManualClock(0);
  expect(await openFeed({ ...order, baseUrl: '' }, clock)).toBeUndefined();
  expect(await openFeed({ ...order, baseUrl: 'off', isReal: false }, clock)).toBeUndefined();
  expect(await openFeed({ ...order, baseUrl: '', isReal: false }, clock)).toMatchObject({ isSample: true });
});
