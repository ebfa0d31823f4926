import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type JsonElement, readJsonElements } from './json-elements.ts';

async function* piecesOf(text: string | Uint8Array, sizes: readonly number[] = []) {
  const octets = Buffer.from(text as string);
  let at = 0;
  for (const size of sizes) {
    yield octets.subarray(at, at + size);
    at += size;
  }
  yield octets.subarray(at);
}

async function read(text: string | Uint8Array, sizes?: readonly number[], octetsMax = 1_000_000) {
  const result: JsonElement[] = [];
  for await (const element of readJsonElements(piecesOf(text, sizes), octetsMax)) result.push(element);
  return result;
}

const codeOf = (elements: readonly JsonElement[]) => {
  const last = elements.at(-1);
  return last && 'problem' in last ? last.problem.code : undefined;
};

const sizes = fc.array(fc.nat(40), { maxLength: 60 });

test('any list, cut into any pieces, is what it is', async () => {
  const spaces = fc.constantFrom(undefined, 1, '\t', 4);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.jsonValue(), { maxLength: 8 }), spaces, sizes, async (list, space, cuts) => {
      const text = JSON.stringify(list, null, space);
      const expected = (JSON.parse(text) as unknown[]).map((value) => ({ value }));
      expect(await read(text, cuts)).toEqual(expected);
    }),
    { numRuns: 500 },
  );
});

test('whatever is missing at its end, a list that was cut short says so last', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.jsonValue(), { maxLength: 5 }), fc.nat(), sizes, async (list, at, cuts) => {
      const octets = Buffer.from(JSON.stringify(list));
      const elements = await read(octets.subarray(0, at % octets.length), cuts);
      expect(codeOf(elements)).toBe('cut_short');
      const values = elements.slice(0, -1).map((element) => 'value' in element && element.value);
      expect(values).toEqual((JSON.parse(octets.toString()) as unknown[]).slice(0, values.length));
    }),
  );
});

test('it is as strict as JSON.parse about what a list is', async () => {
  const texts = fc
    .array(fc.constantFrom('[', ']', '{', '}', ',', ':', '"', '\\', '1', ' ', '"a"', 'é', 'null'), {
      maxLength: 12,
    })
    .map((signs) => `[${signs.join('')}`);
  await fc.assert(
    fc.asyncProperty(texts, sizes, async (text, cuts) => {
      let expected: unknown[] | undefined;
      try {
        expected = JSON.parse(text) as unknown[];
      } catch {}
      const elements = await read(text, cuts);
      if (expected) expect(elements).toEqual(expected.map((value) => ({ value })));
      else expect(codeOf(elements)).toMatch(/^(not_json|cut_short)$/);
    }),
    { numRuns: 2000 },
  );
});

test('brackets, commas and quotation marks in texts end nothing, and signs of several octets may be cut', async () => {
  const list = [{ a: 'x],["}{', b: '\\"],' }, ['C:\\'], 'Kołłątaj 数据结构 🎓'];
  const everyOctet = Array.from({ length: 200 }, () => 1);
  expect(await read(JSON.stringify(list), everyOctet)).toEqual(list.map((value) => ({ value })));
});

test('an empty list is whole, with or without blanks and a byte order mark', async () => {
  expect(await read('[]')).toEqual([]);
  expect(await read('\ufeff \n[ \t\r\n] \n')).toEqual([]);
});

test('a page instead of a list is named by how it begins', async () => {
  expect(await read('\n<!DOCTYPE html><html><body>Sorry</body>')).toEqual([
    { problem: { code: 'not_a_list', message: expect.stringContaining('"<!DOCTYPE html>') } },
  ]);
  expect(codeOf(await read('{"error":"no"}'))).toBe('not_a_list');
  expect(codeOf(await read(''))).toBe('cut_short');
});

test('trailing commas, lost commas, stray brackets and what follows the end are not JSON', async () => {
  for (const text of [
    '[1,]',
    '[,1]',
    '[,]',
    '[1 2]',
    '[{"a":1}}',
    '[{]]',
    '[1]]',
    '[1],',
    '[1] x',
    '[nul]',
  ]) {
    expect([text, codeOf(await read(text))]).toEqual([text, 'not_json']);
  }
});

test('an element that is too long is refused while it comes, however it is cut', async () => {
  const text = `["short","${'x'.repeat(500)}"]`;
  expect(await read(text, [], 100)).toEqual([{ value: 'short' }, { problem: expect.anything() }]);
  let taken = 0;
  async function* endless() {
    yield Buffer.from('["');
    for (; taken < 1000; taken++) yield Buffer.from('xxxxxxxxxx');
  }
  const elements: JsonElement[] = [];
  for await (const element of readJsonElements(endless(), 100)) elements.push(element);
  expect(codeOf(elements)).toBe('too_long');
  expect(taken).toBeLessThan(12);
});

test('octets that are no UTF-8 cost their sign and nothing else', async () => {
  const octets = Buffer.concat([Buffer.from('["a'), Buffer.from([0xff, 0xc3]), Buffer.from('b",2]')]);
  expect(await read(octets)).toEqual([{ value: 'a\ufffd\ufffdb' }, { value: 2 }]);
});

test('what the pieces throw goes to the caller', async () => {
  async function* breaking() {
    yield Buffer.from('[1,');
    throw new Error('reset');
  }
  const reading = async () => {
    for await (const _ of readJsonElements(breaking(), 100));
  };
  await expect(reading()).rejects.toThrow('reset');
});
