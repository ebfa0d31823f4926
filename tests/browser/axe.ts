import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** What finds barriers in a page, in its short form: it is put into dozens of them, and each reads it anew. */
export const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
