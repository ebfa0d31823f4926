import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

/** What node needs to be told to run what `load` of program.mjs finds. */
export const childArguments: readonly string[] =
  process.env.TIDINGS_TEST_BUILT === '1' ? [] : ['--import', loader];
