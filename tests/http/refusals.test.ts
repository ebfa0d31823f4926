import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { statusesByRefusal } from '../../src/http/errors.ts';

/**
 * Whoever writes a refusal with a code of its own decides what the API answers: with a line in `statusesByRefusal`, or with one here.
 * Which route gives which is walked by `document.test.ts`, on a real server.
 */

/** What was sent is not as it must be: 400. */
const ofTheRequest = [
  ...['ambiguous_reference', 'body_missing', 'invalid_address', 'invalid_canary', 'invalid_config'],
  ...['invalid_entity', 'invalid_intent', 'invalid_lane', 'invalid_limit', 'invalid_locale', 'invalid_page'],
  ...['invalid_notification_type', 'invalid_period', 'invalid_request', 'invalid_type', 'invalid_user'],
  'invalid_variable',
  ...['malformed_json', 'message_ambiguous', 'missing_sample', 'missing_template', 'nothing_to_change'],
  ...['period_not_over', 'reason_required', 'unknown_source', 'user_required', 'variables_too_big'],
];

/** Of the start of a server, and of files that only the command line reads: no request meets them. */
const notOfRequests = [
  ...['invalid_configuration', 'invalid_namespace', 'host_unavailable', 'port_forbidden', 'port_in_use'],
  ...['file_too_large', 'line_too_long', 'not_json', 'not_text', 'nothing_to_import', 'other_feed'],
  ...['own_database', 'period_required', 'samples_inside', 'unknown_columns', 'unknown_json'],
];

const root = new URL('../../src/', import.meta.url);
const folders = ['consent', 'domain', 'emails', 'http', 'outbox', 'samples', 'sources', 'std'];

/** As they stand in the first argument; also where there are two to choose from. */
function codesIn(text: string): string[] {
  const firsts = [...text.matchAll(/\bnew Refusal\(([^,]*),/g)].map(([, first = '']) => first);
  return firsts.flatMap((first) => [...first.matchAll(/'([a-z_]+)'/g)].map(([, code = '']) => code));
}

test('of every refusal it is decided what the API answers', () => {
  const used = new Set(
    folders.flatMap((folder) =>
      readdirSync(new URL(`${folder}/`, root), { recursive: true, encoding: 'utf8' })
        .filter((name) => /(?<!\.test)\.tsx?$/.test(name))
        .flatMap((name) => codesIn(readFileSync(new URL(`${folder}/${name}`, root), 'utf8'))),
    ),
  );
  const decided = [...Object.keys(statusesByRefusal), ...ofTheRequest, ...notOfRequests];
  expect([...used].sort()).toEqual(decided.sort());
});

test('what is not there is a 404, whatever it is', () => {
  const notFound = Object.entries(statusesByRefusal).filter(([code]) => code.endsWith('_not_found'));
  expect(notFound.length).toBeGreaterThan(5);
  expect(notFound.filter(([, status]) => status !== 404)).toEqual([]);
});
