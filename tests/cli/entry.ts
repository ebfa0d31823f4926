import { run } from '../../src/cli/cli.ts';

// The command line from source, as scripts/tidings.mjs starts it from dist.
process.exitCode = await run(process.argv.slice(2));
