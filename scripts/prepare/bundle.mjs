// Builds src into the folder that is named: few files, because a command of the command line takes as long as they take to load,
// and Kysely alone has 262, typebox 530. Run by compile.mjs, in a process of its own.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from '../root.mjs';

const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const bundled = ['kysely', 'typebox'];

/** What is started, and the parts of an engine for whoever puts one together in another process. */
const entries = ['cli/cli', 'config', 'db/database', 'engine', 'outbox/outbox', 'std/clock', 'std/log'];

const common = {
  absWorkingDir: root,
  outbase: 'src',
  outdir: process.argv[2],
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
};

await build({
  ...common,
  entryPoints: entries.map((entry) => `src/${entry}.ts`),
  chunkNames: 'chunks/[name]-[hash]',
  // What several entries need, and what only some commands load, is a file of its own.
  splitting: true,
  external: Object.keys(dependencies).filter((name) => !bundled.includes(name)),
});

// For the programs of others: one file that needs no other.
await build({ ...common, entryPoints: ['src/client/client.ts'] });
