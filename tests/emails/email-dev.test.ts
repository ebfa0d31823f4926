import { cpSync, existsSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readTemplate, templateNames } from '../../src/emails/render.ts';
import { samplesIn } from '../../src/emails/samples.ts';
import { type CommandLine, createCommandLine, type Running } from '../cli/command-line.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { findProcesses } = (await import(join(root, 'scripts/test/processes.mjs'))) as {
  findProcesses(run: { mark: string }): { pid: number; command: string }[];
};
const boundMs = 90_000; // Templates are loaded from source, several times, beside whatever else is running.

/** In a copy of the program, so that its templates can be changed. */
describe('npm run email:dev', { timeout: boundMs }, () => {
  let shell: CommandLine;
  let copy: string;
  let mark: string;
  beforeEach(() => {
    shell = createCommandLine();
    copy = join(shell.folder, 'program');
    mark = `EMAIL_DEV_TEST=${copy}`;
    // With what was built of it, so that nothing needs to be.
    for (const name of [
      'src',
      'scripts',
      'console',
      'dist',
      'package.json',
      'package-lock.json',
      'tsconfig.json',
    ])
      if (existsSync(join(root, name))) cpSync(join(root, name), join(copy, name), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  });
  afterEach(() => shell.close());

  const start = (env: Record<string, string> = {}): Running =>
    shell.start([], {
      ...{ program: join(copy, 'scripts/email-dev.mjs'), cwd: shell.folder, boundMs },
      env: { PORT: '0', EMAIL_DEV_TEST: copy, TSX_TSCONFIG_PATH: join(copy, 'tsconfig.json'), ...env },
    });
  const urlOf = async (running: Running) => (await running.until(/Mails at (\S+)/))[1] ?? '';
  const read = async (url: string) => (await fetch(url)).text();

  /** What is left of it, some seconds later at the most. */
  async function left(): Promise<unknown[]> {
    const until = performance.now() + 10_000;
    for (;;) {
      const found = findProcesses({ mark });
      if (found.length === 0 || performance.now() > until) return found;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  it('002-V-01 shows every template in every language, with its text and its props, to this machine only', async () => {
    const server = start();
    const url = await urlOf(server);
    const page = await read(url);
    const samples = [];
    for (const name of templateNames) {
      const template = await readTemplate(name);
      for (const locale of template?.locales ?? []) {
        for (const sample of samplesIn(template as NonNullable<typeof template>, locale).keys()) {
          const query = new URLSearchParams({ template: name, locale, sample });
          expect(page).toContain(`href="/?${query.toString().replaceAll('&', '&amp;')}`);
          samples.push(query);
        }
      }
    }
    expect(samples.length).toBeGreaterThan(30);

    const one = 'template=newsletter-entity&locale=ro&sample=monthly';
    const shown = await read(`${url}/?${one}`);
    expect(shown).toContain('<h1>Bugetul pe octombrie 2026: Orașul Lunca Mare</h1>');
    expect(shown).toContain('Cheltuieli: 9,63 mil. RON');
    expect(shown).toContain('&quot;totalIncome&quot;: &quot;12,84 mil. RON&quot;');
    expect(shown).toMatch(/<iframe sandbox /);

    const light = await fetch(`${url}/mail?${one}`);
    expect(light.headers.get('content-security-policy')).toMatch(/^default-src 'none';.*;sandbox$/);
    expect(await light.text()).toMatch(/content="light".*@media not all\{/s);
    expect(await read(`${url}/mail?${one}&scheme=dark`)).toMatch(/content="dark".*@media all\{/s);

    expect((await fetch(`${url}/mail?template=none`)).status).toBe(404);
    expect((await fetch(`${url}/none`)).status).toBe(404);
    expect((await fetch(url, { method: 'POST' })).status).toBe(405);
    const foreign = await new Promise((resolve, reject) => {
      request(url, { headers: { host: 'evil.example' } }, ({ statusCode }) => resolve(statusCode))
        .on('error', reject)
        .end();
    });
    expect(foreign).toBe(403);

    server.signal('SIGINT');
    expect(await server.ended).toMatchObject({ code: 0, signal: null, err: '' });
    await expect(fetch(url)).rejects.toThrow();
    expect(await left()).toEqual([]);
  });

  it('tells the page when a template has changed, broken or been mended', async () => {
    const server = start();
    const url = await urlOf(server);
    const events = (await fetch(`${url}/events`)).body?.getReader();
    const told = async () => new TextDecoder().decode((await events?.read())?.value);
    const first = await told();
    const one = `${url}/?template=newsletter-entity&locale=ro&sample=monthly`;
    /** The page as it is after a new version was told; a slow disk may make two of one change. */
    const toldOf = async (expected: RegExp) => {
      for (let tries = 0; tries < 5; tries++) {
        expect(await told()).not.toBe(first);
        const page = await read(one);
        if (expected.test(page)) return page;
      }
      throw new Error(`no version says ${expected}`);
    };
    const words = join(copy, 'src/emails/templates/newsletter-entity-words.ts');
    const before = readFileSync(words, 'utf8');

    writeFileSync(words, before.replace("income: 'Venituri'", "income: 'Încasări'"));
    await toldOf(/Încasări: 12,84 mil\. RON/);

    writeFileSync(words, `${before}\nexport const = ;\n`);
    const broken = await toldOf(/role="alert".*newsletter-entity-words\.ts/s);
    expect(broken).toContain('Încasări: 12,84 mil. RON');

    // As editors save: beside, and then in its place.
    writeFileSync(`${words}.new`, before);
    renameSync(`${words}.new`, words);
    const mended = await toldOf(/Venituri: 12,84 mil\. RON/);
    expect(mended).not.toContain('role="alert"');
    await events?.cancel();

    server.signal('SIGTERM');
    expect(await server.ended).toMatchObject({ code: 0, signal: null });
    expect(await left()).toEqual([]);
  });

  it('leaves nothing when it is stopped before it is ready, or killed', async () => {
    for (const [signal, at] of [
      ['SIGINT', undefined],
      ['SIGKILL', /Mails at/],
    ] as const) {
      const server = start();
      if (at) await server.until(at);
      else await expect.poll(() => findProcesses({ mark }).length, { timeout: boundMs }).toBeGreaterThan(2);
      server.signal(signal);
      const { code, signal: by } = await server.ended;
      expect([code, by]).toEqual(signal === 'SIGINT' ? [0, null] : [null, 'SIGKILL']);
      expect(await left()).toEqual([]);
    }
  });

  it('takes the next free port where one is taken, and says what to do where it is none', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as { port: number };
    const server = start({ PORT: String(port) });
    await server.until(new RegExp(`Port ${port} is taken; this is the next free one\\.\n`));
    const next = await urlOf(server);
    expect(Number(new URL(next).port)).toBeGreaterThan(port);
    expect(await read(next)).toContain('newsletter-entity');
    server.signal('SIGINT');
    expect((await server.ended).code).toBe(0);
    other.close();
    const none = await start({ PORT: 'x' }).ended;
    expect([none.code, none.err]).toEqual([2, 'PORT "x" is no port. Give a number from 0 to 65535.\n']);
    expect(await left()).toEqual([]);
  });
});
