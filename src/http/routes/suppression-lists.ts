import { Readable } from 'node:stream';
import { Type } from 'typebox';
import { readEntry } from '../../consent/suppression-entry.ts';
import { csvHeader, csvOf, readPages } from '../../consent/suppression-export.ts';
import type { SuppressionEntry } from '../../consent/suppressions.ts';
import { suppressionReasonNames } from '../../domain/suppression.ts';
import type { Log } from '../../std/log.ts';
import { speaker } from '../gate.ts';
import { defineRoute, type Route } from '../route.ts';
import { by, closed, nothing, withLifted } from '../schemas.ts';
import type { ApiParts } from '../server.ts';

/** The list of suppressions as a whole: out to a file, and in from somebody else's. */
interface SuppressionListParts extends Pick<ApiParts, 'consent' | 'sources'> {
  log: Log;
}

const path = '/api/v1/suppressions';
const entriesMax = 5_000;
const bodyOctetsMax = 4 * 1_048_576;
const batchSize = 500;
const count = Type.Integer({ minimum: 0 });

export function suppressionListRoutes(parts: SuppressionListParts): Route[] {
  return [exportRoute(parts), importRoute(parts)];
}

function exportRoute({ consent: { suppressions }, log }: SuppressionListParts): Route {
  return defineRoute({
    method: 'GET',
    path: `${path}/export`,
    summary: 'The whole list as CSV, newest first, as an import reads it',
    who: ['read'],
    query: Type.Object({ withLifted }, closed),
    answers: { 200: { when: 'The list, however long it is.', type: 'text/csv' } },
    async handle({ query, traceId }) {
      const withLifted = query.withLifted === 'true';
      const pages = readPages(suppressions, withLifted);
      // Asked for before the answer begins, so that a database which is away can still be said to be.
      const first = await pages.next();
      async function* lines() {
        yield `${csvHeader(withLifted)}\r\n`;
        try {
          for (let page = first; !page.done; page = await pages.next())
            yield page.value.map((row) => `${csvOf(row, withLifted)}\r\n`).join('');
        } catch (error) {
          // The status is out already: the connection is cut, so that nobody takes a part for the whole.
          log.error('suppressions.export_failed', { traceId, error });
          throw error;
        }
      }
      return { status: 200, type: 'text/csv; charset=utf-8', body: Readable.from(lines()) };
    },
  });
}

function importRoute({ consent: { suppressions }, sources, log }: SuppressionListParts): Route {
  const entry = Type.Object(
    {
      address: Type.String({ description: 'The address, in any case of letters.' }),
      scope: Type.Optional(Type.String({ description: '`*`, which it is if left out, or a source.' })),
      reason: Type.Optional(
        Type.String({ description: `\`imported\` if left out; or ${suppressionReasonNames.join(', ')}.` }),
      ),
      note: Type.Optional(
        Type.Union([Type.String(), Type.Null()], { description: 'At most 500 characters.' }),
      ),
    },
    closed,
  );
  return defineRoute({
    method: 'POST',
    path: `${path}/import`,
    summary: 'Add the addresses of a list; one that cannot be read is named, and does not stop the others',
    who: [],
    query: nothing,
    body: Type.Object(
      {
        entries: Type.Array(entry, { minItems: 1, maxItems: entriesMax }),
        by: Type.Optional(by),
      },
      closed,
    ),
    bodyOctetsMax,
    answers: {
      200: {
        when: 'What came of it. To import the same again adds nothing.',
        schema: Type.Object(
          {
            ...{ read: count, added: count, alreadyListed: count, stopped: count },
            problems: Type.Array(
              Type.Object(
                {
                  index: Type.Integer({ description: 'Which of the entries, from 0.' }),
                  problem: Type.String(),
                },
                closed,
              ),
            ),
          },
          closed,
        ),
      },
    },
    async handle({ body: { entries, by }, caller, traceId }) {
      const names = sources.map(({ name }) => name);
      const good: SuppressionEntry[] = [];
      const problems: { index: number; problem: string }[] = [];
      for (const [index, found] of entries.entries()) {
        const read = readEntry(found, names);
        if ('entry' in read) good.push(read.entry);
        else if ('problem' in read) problems.push({ index, problem: read.problem });
      }
      let [added, stopped] = [0, 0];
      // A transaction each, as small as that of any other order.
      for (let at = 0; at < good.length; at += batchSize) {
        const result = await suppressions.add(good.slice(at, at + batchSize), speaker(by, caller));
        added += result.added;
        stopped += result.stopped;
      }
      const counts = { read: entries.length, added, alreadyListed: good.length - added, stopped };
      log.info('suppressions.imported', { traceId, ...counts, bad: problems.length, key: caller.key });
      return { status: 200, body: { ...counts, problems } };
    },
  });
}
