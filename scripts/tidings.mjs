#!/usr/bin/env node
import { prepare } from './prepare.mjs';

prepare();
stopWithNpm();
// React renders twice as fast then. Set before it is loaded, and never over somebody's own.
process.env.NODE_ENV ??= 'production';
// A trace names the files of src, not those that the build made of them.
process.setSourceMapsEnabled(true);
// In this very process, so that a signal sent to it reaches the engine and not a wrapper.
const { run } = await import('../dist/cli/cli.js');
process.exitCode = await run(process.argv.slice(2));

/**
 * Between npm and us stands a shell that dies of a SIGTERM without passing it on. Started by npm, the death of that parent
 * is the signal; started by anybody else, outliving one's parent may be just what is wanted.
 */
function stopWithNpm() {
  if (process.env.npm_command === undefined) return;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 200);
  watch.unref();
}
