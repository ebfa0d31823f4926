#!/usr/bin/env node
import { prepare } from './prepare.mjs';

prepare();
// In this very process, so that a signal sent to it reaches the engine and not a wrapper.
const { run } = await import('../dist/cli/cli.js');
process.exitCode = await run(process.argv.slice(2));
