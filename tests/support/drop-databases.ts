import { afterAll } from 'vitest';
import { dropKept } from './own-database.ts';

/** For every test file: afterwards, because this is asked for first. */
afterAll(dropKept);
