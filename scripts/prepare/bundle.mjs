// Builds src into the folder that is named: few files, because a command of the command line takes as long as they take to load,
// and Kysely alone has 262. Run by compile.mjs, in a process of its own.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from '../root.mjs';

const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** What is started, and the parts of an engine for whoever puts one together in another process. */
const entries = ['cli/cli', 'config', 'db/database', 'engine', 'outbox/outbox', 'std/clock', 'std/log'];

await build({
  absWorkingDir: root,
  entryPoints: entries.map((entry) => `src/${entry}.ts`),
  outbase: 'src',
  outdir: process.argv[2],
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  // What several entries need, and what only some commands load, is a file of its own.
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  external: Object.keys(dependencies).filter((name) => name !== 'kysely'),
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
});
