import { crashTests } from './crash.ts';

crashTests('sqlite', 'postmark');
