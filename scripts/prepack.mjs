// Before `npm pack`: a package has what was built, and the types of the client.
import { prepare } from './prepare.mjs';

prepare({ types: true });
