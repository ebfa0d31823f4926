import { configurationPage } from './configuration-page.ts';
import { contractPages } from './contract-pages.ts';
import { errorsPage } from './errors-page.ts';
import { lifecyclePage } from './lifecycle-page.ts';
import { drawMap } from './map.ts';
import { proofPage } from './proof-page.ts';

/** Every file under docs/ that is made from the code, and what it should say now. */
export const generatedFiles: Readonly<Record<string, () => string>> = {
  'docs/configuration.md': configurationPage,
  ...contractPages,
  'docs/errors.md': errorsPage,
  'docs/lifecycle.md': lifecyclePage,
  'docs/proof-in-detail.md': proofPage,
  'docs/lifecycle.svg': () => drawMap(),
};
