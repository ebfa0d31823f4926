#!/usr/bin/env node
const args = process.argv.slice(2);
// Whoever only asks which one it is waits for nothing else.
if (args.length === 1 && ['--version', '-V'].includes(args[0])) {
  const { readFileSync } = await import('node:fs');
  console.log(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version);
} else {
  const { prepare } = await import('./prepare.mjs');
  const { stopWithNpm } = await import('./servers/stop-with-npm.mjs');
  prepare();
  stopWithNpm();
  // React renders twice as fast then. Set before it is loaded, and never over somebody's own.
  process.env.NODE_ENV ??= 'production';
  // A trace names the files of src, not those that the build made of them.
  process.setSourceMapsEnabled(true);
  // In this very process, so that a signal sent to it reaches the engine and not a wrapper.
  const { run } = await import('../dist/cli/cli.js');
  process.exitCode = await run(args);
}
