import { everyFolderIsInTheTable, exceptionsAreNeeded, importsFollowTheTable } from './import-rules.ts';
import {
  domainIsPure,
  onlyConfigReadsTheEnvironment,
  onlyTheClockReadsTheClock,
  onlyTheCommandLinePrints,
  onlyTheDiceRoll,
} from './purity-rules.ts';
import {
  filesAreShort,
  foldersHaveAFrontDoor,
  noBarrels,
  noDefaultExports,
  noDrawers,
} from './shape-rules.ts';
import type { Rule } from './source-files.ts';
import { modulesRememberNothing } from './state-rule.ts';
import { onlyTheOutboxWritesDeliveries } from './writer-rule.ts';

/**
 * The house rules by what they promise. Each is a function from files to sentences and sees nothing but text, so that
 * the test can also give it files with planted mistakes.
 */
export const rules = {
  'imports go one way': importsFollowTheTable,
  'every folder says whom it may import': everyFolderIsInTheTable,
  'no exception outlives its reason': exceptionsAreNeeded,
  'domain is pure': domainIsPure,
  'only the clock reads the clock': onlyTheClockReadsTheClock,
  'only random and ids make randomness': onlyTheDiceRoll,
  'only config reads the environment': onlyConfigReadsTheEnvironment,
  'only the command line prints': onlyTheCommandLinePrints,
  'only the outbox writes deliveries': onlyTheOutboxWritesDeliveries,
  'no module remembers anything': modulesRememberNothing,
  'no default exports': noDefaultExports,
  'no barrels': noBarrels,
  'no drawers for everything': noDrawers,
  'no file is too long to read': filesAreShort,
  'every folder has a front door': foldersHaveAFrontDoor,
} as const satisfies Record<string, Rule>;
