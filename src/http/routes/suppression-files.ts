import { Type } from 'typebox';
import { importSuppressions } from '../../consent/suppression-import.ts';
import type { Database } from '../../db/database.ts';
import type { Log } from '../../std/log.ts';
import { speaker } from '../gate.ts';
import { defineRoute, type Route } from '../route.ts';
import { by, closed, line, nothing } from '../schemas.ts';
import type { ApiParts } from '../server.ts';

/** A list of suppressions as the file that somebody has: what would come of it, and then the same done. */
interface SuppressionFileParts extends Pick<ApiParts, 'consent' | 'sources'> {
  db: Database;
  log: Log;
}

const path = '/api/v1/suppressions/import';
/** A hundred thousand addresses; a longer file is read from the disk: `tidings suppressions import`. */
const bodyOctetsMax = 4 * 1_048_576;
const count = Type.Integer({ minimum: 0 });

const file = Type.String({
  description:
    'CSV with or without a header, one address a line, JSON lines or a JSON list, in UTF-8; the content type does not matter.',
});

const imported = Type.Object(
  {
    ...{ read: count, added: count, alreadyListed: count, stopped: count },
    lifted: Type.Integer({ minimum: 0, description: 'Lines of an export that hold no more.' }),
    bad: count,
    problems: Type.Array(
      Type.Object(
        {
          line: Type.Integer({ description: 'On which line it begins, from 1.' }),
          number: Type.Optional(Type.Integer({ description: 'Which of a JSON list, from 1.' })),
          problem: Type.String(),
        },
        closed,
      ),
      { description: 'The first hundred of the bad ones.' },
    ),
    ignoredColumns: Type.Array(Type.String()),
  },
  closed,
);

export function suppressionFileRoutes(parts: SuppressionFileParts): Route[] {
  return [checkRoute(parts), fileRoute(parts)];
}

function checkRoute(parts: SuppressionFileParts): Route {
  return defineRoute({
    method: 'POST',
    path: `${path}/check`,
    summary: 'Say what would come of importing a file; nothing is changed',
    who: [],
    query: nothing,
    body: file,
    takesBytes: true,
    bodyOctetsMax,
    readsOnly: true,
    answers: { 200: { when: 'What would come of it.', schema: imported } },
    async handle({ bytes, caller }) {
      const by = speaker(undefined, caller);
      return { status: 200, body: await importBytes(parts, bytes, { by, isDryRun: true }) };
    },
  });
}

function fileRoute(parts: SuppressionFileParts): Route {
  return defineRoute({
    method: 'POST',
    path: `${path}/file`,
    summary: 'Add the addresses of a file; a line that cannot be read is named, and does not stop the others',
    who: [],
    query: Type.Object(
      { because: line(500, 'Why; it is kept in the audit log.'), by: Type.Optional(by) },
      closed,
    ),
    body: file,
    takesBytes: true,
    bodyOctetsMax,
    answers: { 200: { when: 'What came of it. To import the same again adds nothing.', schema: imported } },
    async handle({ bytes, query, caller, traceId }) {
      const body = await importBytes(parts, bytes, { by: speaker(query.by, caller), isDryRun: false });
      const { read, added, alreadyListed, stopped, bad } = body;
      const counts = { read, added, alreadyListed, stopped, bad };
      parts.log.info('suppressions.imported', { traceId, ...counts, key: caller.key });
      return { status: 200, body };
    },
  });
}

function importBytes(
  { db, consent: { suppressions }, sources }: SuppressionFileParts,
  bytes: Buffer,
  order: { by: string; isDryRun: boolean },
) {
  async function* chunks() {
    yield bytes.toString('utf8');
  }
  const names = sources.map(({ name }) => name);
  return importSuppressions({ db, suppressions }, { ...order, chunks: chunks(), sources: names });
}
