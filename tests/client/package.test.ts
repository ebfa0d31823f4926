import { copyFileSync, existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type CommandLine, createCommandLine } from '../cli/command-line.ts';
import { installPacked, root, type SeparatePackage } from './separate-package.ts';

/** The client as others have it: packed, installed by npm into a package of its own, compiled there and run against a server. */
let other: SeparatePackage;
let shell: CommandLine;
beforeAll(async () => {
  shell = createCommandLine();
  other = await installPacked();
  for (const name of ['every-source.ts', 'submit-review.ts'])
    copyFileSync(join(root, 'examples', name), join(other.folder, name));
}, 180_000);
afterAll(async () => {
  other?.remove();
  await shell.close();
});

const nodeTypes = { types: ['node'], typeRoots: [join(root, 'node_modules/@types')] };
const nodenext = { module: 'nodenext', moduleResolution: 'nodenext', ...nodeTypes };
const bundler = { module: 'esnext', moduleResolution: 'bundler', ...nodeTypes };
const browser = { ...bundler, types: [], lib: ['es2023', 'dom'], noEmit: true };
const fine = { code: 0, out: '', err: '' };

test('the package has the client with its types, and its own files only', () => {
  const files = other.files();
  expect(files).toEqual(expect.arrayContaining(['dist/client/client.js', 'dist/client/client.d.ts']));
  expect(files.filter((path) => /^(?:src|tests|simulation|bench)\//.test(path))).toEqual([]);
  expect(lstatSync(join(other.folder, 'node_modules/tidings')).isSymbolicLink()).toBe(false);
});

describe('strictly compiled', () => {
  const examples = ['every-source.ts', 'submit-review.ts'];

  test.each([
    ['nodenext', nodenext],
    ['bundler', bundler],
  ])('with moduleResolution %s', async (name, options) => {
    expect(await other.compile({ ...options, outDir: `out-${name}` }, examples)).toEqual(fine);
  });

  test('for a browser’s types, without those of Node', async () => {
    other.write(
      'small.ts',
      "import { createTidingsClient } from 'tidings/client';\n" +
        "export const tidings = createTidingsClient({ baseUrl: 'https://tidings.example.org', fetch });\n",
    );
    expect(await other.compile(browser, ['small.ts'])).toEqual(fine);
  });

  test('what is wrong does not compile', async () => {
    const wrong = [
      'tidings.reviews.submit({ changelist_id: "a", review_version: "1", recipients: [], title: "b" });',
      'tidings.reviews.submit({ changelist_id: "a", review_version: 1, recipients: [] });',
      'tidings.reviews.submit(result).then((submitted) => submitted.answer === "create");',
      'tidings.notifications.subscribe({ userId: "a", notificationType: "newsletter_entity_monthly" });',
      'tidings.notifications.subscribe({ userId: "a", notificationType: "alert_series_static", config: {} });',
      'tidings.notifications.list();',
      'tidings.seats.watch({ term: "12026", campus: "XX", index: "09214", email: "a" });',
      'tidings.seats.watch({ term: "12026", campus: "NB", email: "a" });',
      'tidings.deliveries.list({ status: ["lost"] });',
      'createTidingsClient({});',
    ];
    const head = [
      "import { createTidingsClient, type ReviewResult } from 'tidings/client';",
      "const tidings = createTidingsClient({ baseUrl: 'https://tidings.example.org' });",
      'declare const result: ReviewResult;',
    ];
    other.write('wrong.ts', [...head, ...wrong].join('\n'));
    const { code, out } = await other.compile({ ...nodenext, noEmit: true }, ['wrong.ts']);
    expect(code).not.toBe(0);
    const lines = new Set([...out.matchAll(/^wrong\.ts\((\d+),/gm)].map(([, line]) => Number(line)));
    expect([...lines]).toEqual(wrong.map((_, index) => head.length + 1 + index));
  });
});

describe('run against a server', () => {
  const apiKey = 'operator-0123456789abcdefghijklmnopqr';
  let env: Record<string, string>;
  beforeAll(async () => {
    const server = shell.start(['serve'], { env: { PORT: '0', OPERATOR_API_KEY: apiKey }, boundMs: 120_000 });
    const [, url = ''] = await server.until(/web +(\S+)\n/);
    env = { TIDINGS_URL: url, TIDINGS_API_KEY: apiKey };
    // The sample campus has its catalog a moment after the start.
    const headers = { authorization: `Bearer ${apiKey}` };
    const courses = async () => (await fetch(`${url}/api/v1/seats/courses?q=198:111`, { headers })).text();
    await vi.waitFor(async () => expect(await courses()).toContain('"index"'), { timeout: 30_000 });
  });

  test('every source answers, and what is asked twice is done once', async () => {
    const program = join(other.folder, 'out-nodenext/every-source.js');
    expect(existsSync(program)).toBe(true);
    const { out, err, code } = await other.run(process.execPath, [program], env);
    expect({ err, code }).toEqual({ err: '', code: 0 });
    expect(out.split('\n')).toEqual([
      'intents: delivery 1 is new: true; asked again: false',
      expect.stringMatching(/^seats: the watch of \d{5} is pending; it was there: false$/),
      'notifications: newsletter_entity_yearly is created',
      'reviews: created, for 2 recipients',
      'reviews: asked again, duplicate_idempotency',
      'reviews: 409 stale_review_version',
      '',
    ]);
  });

  test('a wrong key is told in a sentence, and not told', async () => {
    const program = join(other.folder, 'out-bundler/submit-review.js');
    other.write('result.json', JSON.stringify({ title: 'A review' }));
    const wrong = { ...env, TIDINGS_API_KEY: 'wrong-0123456789abcdefghijklmnopqrstuv' };
    const { out, err, code } = await other.run(process.execPath, [program], wrong);
    expect({ out, code }).toEqual({ out: '', code: 1 });
    expect(err).toMatch(/^This needs a valid API key\..* \(key_required, trace id [\w-]+\)\n$/);
    expect(err).not.toContain(wrong.TIDINGS_API_KEY);
  });
});
