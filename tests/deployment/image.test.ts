import { existsSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CommandLine, createCommandLine } from '../cli/command-line.ts';
import { copiesOf, isSent, readStages, root, type Stage, wordsOf } from './dockerfile.ts';
import { filesOf, type Image, makeImage } from './image.ts';

const { version, dependencies } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
  version: string;
  dependencies: Record<string, string>;
};

describe('the Dockerfile', () => {
  const stages = readStages();
  const image = stages.at(-1) as Stage;
  const textsOf = ({ instructions }: Stage, name: string) =>
    instructions.filter((each) => each.name === name).map(({ text }) => text);

  test('copies what is there, and what the builder is sent', () => {
    const paths = stages.flatMap(copiesOf).flatMap(({ from, paths }) => (from === undefined ? paths : []));
    expect(paths).toContain('src');
    expect(paths.filter((path) => !existsSync(join(root, path)) || !isSent(path))).toEqual([]);
  });

  test.each([
    ...['.env', 'src/.env', 'compose.env', 'data/tidings.db', '.git/config', '.npmrc', 'dist/cli/cli.js'],
    ...[
      'node_modules/pg/package.json',
      'tests/deployment/image.test.ts',
      'tests/config.test.ts',
      'docs/api.md',
    ],
  ])('the builder is not sent %s', (path) => expect(isSent(path)).toBe(false));

  test('installs what the lock file says, and in the image no dev dependencies', () => {
    const installs = stages.flatMap((stage) => textsOf(stage, 'RUN').filter((text) => /\bnpm\b/.test(text)));
    expect(installs).toEqual(stages.slice(0, -1).map(() => expect.stringMatching(/^npm ci /)));
    const packages = stages.find(({ name }) => name === 'packages') as Stage;
    expect(textsOf(packages, 'RUN')).toEqual([expect.stringContaining('--omit=dev')]);
    const modules = copiesOf(image).filter(({ to }) => to === 'node_modules');
    expect(modules).toEqual([{ from: 'packages', paths: ['/app/node_modules'], to: 'node_modules' }]);
  });

  test('names one version of one base, runs as somebody, and holds no secret', () => {
    expect(new Set(stages.map((stage) => textsOf(stage, 'FROM')[0]?.split(' ')[0])).size).toBe(1);
    expect(readFileSync(`${root}Dockerfile`, 'utf8')).toMatch(/^ARG NODE_VERSION=\d+\.\d+\.\d+$/m);
    expect(textsOf(image, 'USER')).toEqual(['node']);
    expect(textsOf(image, 'ENV')).toEqual(['NODE_ENV=production HOST=0.0.0.0 PORT=3000']);
    expect(stages.flatMap((stage) => textsOf(stage, 'ARG'))).toEqual([]);
  });
});

describe('what it makes', () => {
  const operatorKey = 'o'.repeat(32);
  let image: Image;
  let shell: CommandLine;
  beforeAll(() => {
    image = makeImage();
    shell = createCommandLine();
  });
  afterAll(async () => {
    await shell?.close();
    image?.remove();
  });

  /** Packages are links here: without this, those that the linked ones need would be found beside where the links lead. */
  const linked = { NODE_OPTIONS: '--preserve-symlinks' };

  test('is of this version, and imports nothing but what it has', () => {
    const manifest = readFileSync(join(image.folder, 'package.json'), 'utf8');
    expect(JSON.parse(manifest)).toMatchObject({ version });
    const built = filesOf(join(image.folder, 'dist')).filter((path) => path.endsWith('.js'));
    const imports = built.flatMap((path) =>
      importsOf(readFileSync(join(image.folder, 'dist', path), 'utf8')),
    );
    expect(imports).toEqual(expect.arrayContaining(['pg', 'fastify', 'nodemailer', '@clerk/backend']));
    expect([...new Set(imports)].filter((name) => !isBuiltin(name) && !(name in dependencies))).toEqual([]);
  });

  test('serves as an unprivileged user, writes nothing but data, and ends at the first signal', async () => {
    const { folder, user, stage } = image;
    const [node, program = '', ...rest] = wordsOf(stage, 'ENTRYPOINT');
    expect([node, ...rest]).toEqual(['node']);
    const before = filesOf(folder);
    const env = {
      ...linked,
      NODE_ENV: 'production',
      HOST: '0.0.0.0',
      PORT: '0',
      OPERATOR_API_KEY: operatorKey,
      LOG_LEVEL: 'error',
    };
    const server = shell.start([...wordsOf(stage, 'CMD'), '--json'], {
      ...{ program: join(folder, program), cwd: folder, env },
      ...(user && { user }),
    });
    const [text] = await server.until(/\{[^}]*\}\n/);
    const { port } = new URL(JSON.parse(text).url);
    const url = `http://127.0.0.1:${port}`;
    const health = () => {
      const [command, option = '', script = ''] = wordsOf(stage, 'HEALTHCHECK');
      expect(command).toBe('node');
      return shell.run([script], { program: option, env: { PORT: port } });
    };

    expect((await fetch(`${url}/ready`)).status).toBe(200);
    expect(await health()).toMatchObject({ code: 0 });
    const sent = await fetch(`${url}/api/v1/intents`, {
      method: 'POST',
      headers: { authorization: `Bearer ${operatorKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        occasion: 'o',
        to: 'ana@example.org',
        variables: { subject: 'Hello', text: 'Hi.' },
      }),
    });
    expect(sent.status).toBe(201);
    const headers = { authorization: `Bearer ${operatorKey}` };
    await expect
      .poll(async () => (await fetch(`${url}/api/v1/inbox`, { headers })).text(), { timeout: 30_000 })
      .toContain('Hello');

    server.signal('SIGTERM');
    expect(await server.ended).toMatchObject({ code: 0, signal: null });
    expect(await health()).toMatchObject({ code: 1 });
    const written = filesOf(folder).filter((path) => !before.includes(path));
    expect(written).toEqual([join('data', 'tidings.db')]);
  });
});

/** The packages that a built file names, by whatever of them it takes. */
function importsOf(text: string): string[] {
  const named = text.matchAll(
    /(?:^(?:import|export|\})[^"\n]* from |^import |\b(?:import|require)\()"([\w@][\w@/.:-]*)"/gm,
  );
  return [...named].map(([, name = '']) =>
    isBuiltin(name) ? name : name.split('/', name.startsWith('@') ? 2 : 1).join('/'),
  );
}
