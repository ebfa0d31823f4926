import { beforeEach, expect, test } from 'vitest';
import { rowIn } from '../support/rows.ts';
import { onBothDatabases } from '../support/world.ts';
import { worldForAll } from '../support/world-for-each.ts';
import { keys } from './api-world.ts';
import { createSuppressionsWorld } from './suppressions-world.ts';

const path = '/api/v1/suppressions/import';

/** A list as somebody has it on a disk, sent as it is. */
onBothDatabases('a file of suppressions by the API', (dialect) => {
  const world = worldForAll(() => createSuppressionsWorld(dialect));
  let number = 0;
  beforeEach(() => world.clear());

  const send = (where: string, file: string, more: { key?: string; type?: string } = {}) =>
    world.api.ask('POST', `${path}/${where}`, {
      ...(more.key !== undefined && { key: more.key }),
      body: file,
      headers: { 'content-type': more.type ?? 'application/octet-stream' },
    });
  const lines = async () => (await world.api.ask('GET', '/api/v1/suppressions')).json.suppressions;
  const audited = async () => (await world.api.ask('GET', '/api/v1/audit')).json.lines;
  const because = 'file?because=from+the+old+service';

  test('a check says what would come of it, bad lines by their number, and changes nothing', async () => {
    const seq = await rowIn(world, 'pending', ++number);
    const to = `person-${number}@example.org`;
    const file = `Name,Email,Reason\nx,${to},bounced\n"y\ny",nobody,x\nz,ana@example.org,complained\nz,ANA@example.org,x\n`;
    const checked = await send('check', file);
    const counts = { read: 4, added: 2, alreadyListed: 1, stopped: 1, lifted: 0, bad: 1 };
    const rest = {
      problems: [{ line: 3, problem: expect.stringMatching(/no @/) }],
      ignoredColumns: ['Name'],
    };
    expect([checked.status, checked.json]).toEqual([200, { ...counts, ...rest }]);
    expect(await lines()).toEqual([]);
    expect((await world.queries.find(String(seq)))?.status).toBe('pending');
    expect(await audited()).toEqual([]);

    const done = await send(because, file);
    expect([done.status, done.json]).toEqual([200, { ...counts, ...rest }]);
    expect(await lines()).toMatchObject([
      { address: to, reason: 'imported', note: 'bounced', by: 'the API (operator key 1)' },
      { address: 'ana@example.org', reason: 'complained' },
    ]);
    expect((await world.queries.find(String(seq)))?.status).toBe('suppressed');
    expect(await audited()).toMatchObject([
      {
        ...{ verb: 'POST /api/v1/suppressions/import/file', reason: 'from the old service' },
        ...{ details: '{}', who: 'the API (operator key 1)', answer: '200' },
      },
    ]);
    expect((await send('check', file)).json).toMatchObject({ added: 0, alreadyListed: 3, stopped: 0 });
  });

  test('whatever the browser calls it: CSV, text, JSON, and what an export says', async () => {
    const list = JSON.stringify([{ address: 'ana@example.org' }, { address: 'none' }]);
    expect((await send('check', list, { type: 'text/csv' })).json).toMatchObject({
      ...{ read: 2, added: 1, problems: [{ line: 1, number: 2, problem: expect.any(String) }] },
    });
    await send(because, 'ana@example.org\r\nbob@example.org', { type: 'text/plain; charset=utf-8' });
    const { text } = await world.api.ask('GET', '/api/v1/suppressions/export');
    await world.db.write.deleteFrom('suppressions').execute();
    expect((await send(because, text)).json).toMatchObject({ read: 2, added: 2, bad: 0 });
    expect((await send('check', '')).json).toMatchObject({ read: 0, added: 0 });
  });

  test('a file that is none is refused with a sentence, and one that is too large before it is read', async () => {
    expect((await send('check', 'a\0b')).json).toMatchObject({ code: 'not_text' });
    expect((await send('check', 'name,town\nx,y')).json).toMatchObject({ code: 'unknown_columns' });
    const large = `${'x'.repeat(99)}\n`.repeat(42_000);
    const { status, json } = await send('check', large);
    expect([status, json.error]).toEqual([413, 'The body is too large: at most 4096 KiB are taken here.']);
    expect((await send('file', 'ana@example.org')).json).toMatchObject({ error: 'because is missing.' });
    expect(await lines()).toEqual([]);
  });

  test('who only reads neither checks nor imports', async () => {
    for (const where of ['check', because])
      expect((await send(where, 'ana@example.org', { key: keys.read[0] })).json.code).toBe('role_required');
    expect(await lines()).toEqual([]);
  });
});
