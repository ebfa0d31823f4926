import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that take longest begin first, so that no core is idle while the last of them ends. A fresh clone has measured
 * nothing yet, so they stand here: beginnings of paths, in order. What a list does not name comes after it, by path.
 */
const longest = [
  'tests/samples/first-minute',
  'tests/crash/crash-postgres-smtp',
  'tests/crash/crash-postgres-resend',
  'tests/dispatch/storm',
  'tests/crash/crash-postgres-capture',
  'tests/crash/crash-sqlite',
  'tests/dispatch/compose',
  'tests/browser/',
  'tests/crash/',
  'tests/simulation',
  'tests/dispatch/consent-race',
  'tests/webhooks/every-order',
  'tests/webhooks/sampled-orders',
  'tests/cli/suppressions',
  'tests/cli/',
  'tests/http/unsubscribe',
  'tests/outbox/',
  'tests/dispatch/',
  'tests/webhooks/',
  'tests/',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config;
    const pathOf = ({ moduleId }: TestSpecification) => moduleId.slice(root.length + 1);
    const placeOf = (file: TestSpecification) => {
      const place = longest.findIndex((beginning) => pathOf(file).startsWith(beginning));
      return place === -1 ? longest.length : place;
    };
    return files.toSorted((a, b) => placeOf(a) - placeOf(b) || (pathOf(a) < pathOf(b) ? -1 : 1));
  }
}
