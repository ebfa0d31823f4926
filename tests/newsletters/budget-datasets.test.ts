import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatasetFiles, isDatasetId } from '../../src/sources/newsletters/budget/datasets.ts';
import { createRecordingLog } from '../support/recording-log.ts';

const text = 'axes: { x: { frequency: yearly }, y: { unit: "%" } }\ndata: [{ x: 2023, y: 10.40 }]\n';
let root: string;
let folder: string;
beforeAll(() => {
  root = mkdtempSync(join(process.env.TIDINGS_TEST_TMP ?? tmpdir(), 'tidings-datasets-'));
  folder = join(root, 'datasets');
  mkdirSync(folder);
  writeFileSync(join(root, 'secret.yaml'), text);
  writeFileSync(join(folder, 'ro.a.yaml'), text);
  writeFileSync(join(folder, 'ro.b.yml'), text);
  writeFileSync(
    join(folder, 'ro.c.json'),
    '{"axes":{"x":{"frequency":"yearly"}},"data":[{"x":"2023","y":0.60}]}',
  );
  writeFileSync(join(folder, 'ro.broken.yaml'), 'data: [');
  writeFileSync(join(folder, 'ro.large.yaml'), `${text}#${'x'.repeat(300_000)}`);
  writeFileSync(join(folder, '.hidden.yaml'), text);
  mkdirSync(join(folder, 'ro.folder.yaml'));
  symlinkSync(join(root, 'secret.yaml'), join(folder, 'ro.linked.yaml'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function read(...ids: string[]) {
  const log = createRecordingLog();
  const found = await createDatasetFiles({ folder, log }).datasets(ids);
  return {
    found,
    told: log.lines.map(({ event, datasetId, problem }) => `${event} ${datasetId}: ${problem}`),
  };
}

test('by their ids, as YAML or JSON, with exact values; what nobody knows is not there', async () => {
  const { found, told } = await read('ro.a', 'ro.none', 'ro.b', 'ro.c', 'ro.a');
  expect([...found.keys()]).toEqual(['ro.a', 'ro.b', 'ro.c']);
  expect(found.get('ro.a')).toMatchObject({ id: 'ro.a', unit: '%', values: new Map([['2023', '10.4']]) });
  expect(found.get('ro.c')?.values).toEqual(new Map([['2023', '0.6']]));
  expect(told).toEqual([]);
});

test.each([
  ...[
    '../secret',
    '..',
    '.',
    '',
    '/etc/passwd',
    'ro.a/../../secret',
    '..%2fsecret',
    'ro.a\0',
    'ro..a',
    '.hidden',
  ],
  ...['ro.a.', ' ro.a', 'ro.a\n', '~', 'C:\\x', 'a'.repeat(201), '../datasets/ro.a', 'ro.a/'],
])('no id leads out of the folder: %j', async (id) => {
  const { found, told } = await read(id);
  expect([found.size, told]).toEqual([0, []]);
});

test('whatever the id, it names a file of the folder or none', () => {
  const sign = fc.constantFrom(...'ab1._-/\\~%: \n\0', '..', 'é');
  fc.assert(
    fc.property(fc.string({ unit: sign, maxLength: 8 }), (id) => {
      if (isDatasetId(id)) expect(join('/x', `${id}.yaml`)).toBe(`/x/${id}.yaml`);
      expect(isDatasetId(id)).toBe(/^[ab1]/.test(id) && /[ab1]$/.test(id) && !/[^ab1._-]|[._-]{2}/.test(id));
    }),
  );
});

test('a file that cannot be understood is as good as none, and told', async () => {
  const { found, told } = await read('ro.broken', 'ro.large', 'ro.folder', 'ro.a');
  expect([...found.keys()]).toEqual(['ro.a']);
  expect(told).toEqual([
    expect.stringMatching(/^budget\.dataset_unreadable ro\.broken: It is no YAML/),
    'budget.dataset_unreadable ro.large: It is larger than 262144 octets.',
    'budget.dataset_unreadable ro.folder: It is no file.',
  ]);
});

test('a link that the operator has put there is followed; no folder is no dataset', async () => {
  expect((await read('ro.linked')).found.size).toBe(1);
  const nowhere = createDatasetFiles({ folder: join(root, 'none'), log: createRecordingLog() });
  expect((await nowhere.datasets(['ro.a'])).size).toBe(0);
});
