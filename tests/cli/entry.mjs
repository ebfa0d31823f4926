import { load } from '../support/program.mjs';

// As scripts/tidings.mjs starts it, without looking whether there is something to build.
process.env.NODE_ENV ??= 'production';
process.setSourceMapsEnabled(true);
const { run } = await load('cli/cli');
process.exitCode = await run(process.argv.slice(2));
