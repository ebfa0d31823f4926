import { describe } from 'vitest';
import { hasPostgres } from '../support/world.ts';
import { crashTests } from './crash.ts';

describe.skipIf(!hasPostgres)('on PostgreSQL', () => crashTests('postgres', 'postmark'));
