import { expect, test } from 'vitest';
import { theConsoleTakesLittle } from './console-rule.ts';
import { planted } from './source-files.ts';

const because =
  'a browser gets only what tests/architecture/console-rule.ts names, because the console knows the server by its API.';

test('types come from anywhere, and values from the files that are named', () => {
  const file = planted(
    'console/src/pages/home.tsx',
    "import { useState } from 'react';",
    "import type { Standing } from '../../../src/http/live/standing.ts';",
    "import { type Status, statuses } from '../../../src/domain/status.ts';",
    "import { Link } from '../parts/link.tsx';",
    "import { createQueries } from '../../../src/outbox/queries.ts';",
  );
  expect(theConsoleTakesLittle(file)).toEqual([
    `console/src/pages/home.tsx imports more than types from src/outbox/queries.ts: ${because}`,
  ]);
});

test('a file that a browser gets brings nothing else along', () => {
  const file = planted(
    'src/domain/status.ts',
    "import type { Database } from '../db/database.ts';",
    "import { arrow } from './lifecycle.ts';",
    "import { createHash } from 'node:crypto';",
    "import { sql } from '../db/database.ts';",
  );
  const mistake = 'src/domain/status.ts imports more than types from';
  expect(theConsoleTakesLittle(file)).toEqual([
    `${mistake} node:crypto: ${because}`,
    `${mistake} src/db/database.ts: ${because}`,
  ]);
});

test('its tests may take what they need', () => {
  const file = planted(
    'console/src/parts/x.test.ts',
    "import { troubles } from '../../../src/domain/hindrances.ts';",
  );
  expect(theConsoleTakesLittle(file)).toEqual([]);
});
