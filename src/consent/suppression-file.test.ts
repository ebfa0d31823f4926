import { describe, expect, test } from 'vitest';
import { type FileRecord, readSuppressionFile } from './suppression-file.ts';

async function read(text: string): Promise<{ records: FileRecord[]; ignored: string[] }> {
  async function* chunks() {
    yield text;
  }
  const ignored = new Set<string>();
  const records = [];
  for await (const record of readSuppressionFile(chunks(), ignored)) records.push(record);
  return { records, ignored: [...ignored] };
}

const found = async (text: string) =>
  (await read(text)).records.map((each) => ('found' in each ? each.found : each.problem));

describe('a list from elsewhere', () => {
  test('one address a line', async () => {
    expect((await read('\ufeffana@example.org\r\n\r\nbob@example.org\r\n')).records).toEqual([
      { line: 1, found: { address: 'ana@example.org', scope: '', reason: '', note: '' } },
      { line: 3, found: { address: 'bob@example.org', scope: '', reason: '', note: '' } },
    ]);
  });

  test('columns without a header go by their place, and a fifth is no guess', async () => {
    expect(
      await found('ana@example.org, plain ,complained,"said ""stop"", twice"\na@example.org,*,,,x'),
    ).toEqual([
      { address: 'ana@example.org', scope: 'plain', reason: 'complained', note: 'said "stop", twice' },
      expect.stringContaining('more than four columns'),
    ]);
  });

  test.each(['address', 'email', 'E-Mail', 'Email Address', 'EMAIL_ADDRESS'])(
    'the column with the addresses may be called %s and stand anywhere',
    async (name) => {
      const { records, ignored } = await read(`First Name,${name},Note\nAna, ana@example.org ,x\n`);
      expect(records).toEqual([{ line: 2, found: { address: 'ana@example.org', note: 'x' } }]);
      expect(ignored).toEqual(['First Name']);
    },
  );

  test('a header of which we know nothing is refused, before a line is taken', async () => {
    await expect(read('Contact,Name\nana@example.org,Ana\n')).rejects.toMatchObject({
      code: 'unknown_columns',
    });
    // One column: the first line is a bad address like any other.
    expect(await found('nonsense\nana@example.org')).toHaveLength(2);
  });

  test('JSON, one object a line, with the names in any writing', async () => {
    const { records, ignored } = await read(
      '{"Email":"ana@example.org","liftedAt":"2026-07-01T00:00:00Z","__proto__":1}\n\n{broken\n{"address":"b@example.org","note":null,"colour":1}\n',
    );
    expect(records).toEqual([
      { line: 1, found: { address: 'ana@example.org', liftedAt: '2026-07-01T00:00:00Z' } },
      { line: 3, problem: expect.stringContaining('not JSON') },
      { line: 4, found: { address: 'b@example.org', note: null } },
    ]);
    expect(ignored).toEqual(['__proto__', 'colour']);
  });

  test('a JSON list, of objects or of addresses', async () => {
    expect(await found('[\n{"address":"ana@example.org"}, "bob@example.org", 7]')).toEqual([
      { address: 'ana@example.org' },
      { address: 'bob@example.org' },
      expect.stringContaining('neither an address nor an object'),
    ]);
  });

  test('nothing at all is an empty list; a workbook is no text', async () => {
    expect((await read('')).records).toEqual([]);
    expect((await read(' \n\n')).records).toEqual([]);
    await expect(read('PK\u0003\u0004\0\0')).rejects.toMatchObject({ code: 'not_text' });
  });
});
