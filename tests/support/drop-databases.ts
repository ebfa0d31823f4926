import { afterAll } from 'vitest';
import { dropSwept } from './own-database.ts';

/** For every test file: afterwards, because this is asked for first. */
afterAll(dropSwept);
