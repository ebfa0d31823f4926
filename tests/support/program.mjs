/**
 * A module of the program, for a process that a test starts: as `npm test` has built it, because from source each start
 * costs a second of a core, and from source where nobody has just built it. JavaScript for the same reason.
 * @param {string} path as in `cli/cli`
 */
export const load = (path) =>
  import(process.env.TIDINGS_TEST_BUILT === '1' ? `../../dist/${path}.js` : `../../src/${path}.ts`);
