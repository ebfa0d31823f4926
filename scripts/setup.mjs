// `npm run setup`: installs and builds what is missing, and nothing else.
import { prepare } from './prepare.mjs';

prepare();
