import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { root } from '../root.mjs';

/**
 * What a vitest run came to, out of its JSON report and its exit code. Built to err on the side of failure: a run
 * that crashed, ran nothing or failed outside of a test has a failure to its name even if each test passed.
 */
export function readVitestResult(reportPath, ending) {
  const files = readFiles(reportPath);
  const result = { passed: 0, failures: [], skipped: [], files: files ?? [] };
  for (const file of files ?? []) addFile(result, file);
  if (files === undefined) result.failures.push(`vitest: ended with ${ending} and without a report`);
  else if (files.length === 0) result.failures.push('vitest: found no test files');
  else if (ending !== 'exit code 0' && result.failures.length === 0) {
    result.failures.push(`vitest: ended with ${ending} though no test failed (an unhandled error?)`);
  }
  return result;
}

function readFiles(reportPath) {
  try {
    const files = JSON.parse(readFileSync(reportPath, 'utf8')).testResults;
    return Array.isArray(files) ? files : undefined;
  } catch {
    return undefined;
  }
}

function addFile(result, { name, status, message, assertionResults }) {
  const file = relative(root, name);
  const failuresBefore = result.failures.length;
  for (const test of assertionResults) {
    const fullName = [...test.ancestorTitles, test.title].filter(Boolean).join(' > ');
    if (test.status === 'passed') result.passed += 1;
    else if (test.status === 'skipped' || test.status === 'todo')
      result.skipped.push({ file, name: fullName });
    // Besides `failed` there is `pending`: begun, and never finished.
    else result.failures.push(`${file} > ${fullName}${test.status === 'failed' ? '' : ` (${test.status})`}`);
  }
  // A file that cannot be loaded, or a hook that throws, fails without a failed test.
  if (status !== 'passed' && result.failures.length === failuresBefore) {
    result.failures.push(`${file}: ${message.split('\n')[0] || 'failed outside of its tests'}`);
  }
}
