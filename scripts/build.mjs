import { prepare } from './prepare.mjs';

prepare({ rebuild: true });
