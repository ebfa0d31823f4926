const namesMax = 5;
const failuresMax = 50;

/**
 * Prints what was not run, what failed and, last and alone, the count. Returns the exit code. Of some tests that were asked for, none of
 * which was skipped, none needed what is missing: then it is not named, and no failure either.
 */
export function printTally({ passed, failures, skipped, ...tally }, { isCi, isPartial }) {
  const missing = isPartial && skipped.length === 0 ? [] : tally.missing;
  if (missing.length > 0 || skipped.length > 0) {
    console.log(`\nCould not be run${isCi ? ', which with CI=true is a failure' : ''}:`);
    for (const sentence of missing) console.log(indent(sentence));
    for (const line of describeSkipped(skipped)) console.log(indent(line));
  }
  if (failures.length > 0) {
    console.log('\nFailed:');
    for (const failure of shorten(failures, failuresMax)) console.log(indent(failure));
  }
  const failed = failures.length + (isCi ? missing.length + skipped.length : 0);
  const notRun = isCi ? 0 : skipped.length;
  console.log(`\n${passed} passed, ${failed} failed${notRun > 0 ? `, ${notRun} skipped` : ''}`);
  return failed === 0 ? 0 : 1;
}

function* describeSkipped(skipped) {
  for (const file of new Set(skipped.map((test) => test.file))) {
    const names = skipped.filter((test) => test.file === file).map((test) => test.name);
    yield `${names.length} of ${file}: ${shorten(names, namesMax).join('; ')}`;
  }
}

function shorten(lines, max) {
  return lines.length <= max ? lines : [...lines.slice(0, max), `… and ${lines.length - max} more`];
}

function indent(text) {
  return `  ${text.replaceAll('\n', '\n    ')}`;
}
