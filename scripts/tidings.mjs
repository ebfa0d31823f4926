#!/usr/bin/env node
import { prepare } from './prepare.mjs';
import { stopWithNpm } from './servers/stop-with-npm.mjs';

prepare();
stopWithNpm();
// React renders twice as fast then. Set before it is loaded, and never over somebody's own.
process.env.NODE_ENV ??= 'production';
// A trace names the files of src, not those that the build made of them.
process.setSourceMapsEnabled(true);
// In this very process, so that a signal sent to it reaches the engine and not a wrapper.
const { run } = await import('../dist/cli/cli.js');
process.exitCode = await run(process.argv.slice(2));
