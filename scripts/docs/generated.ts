import { configurationPage } from './configuration-page.ts';
import { lifecyclePage } from './lifecycle-page.ts';
import { drawMap } from './map.ts';

/** Every file under docs/ that is made from the code, and what it should say now. */
export const generatedFiles: Readonly<Record<string, () => string>> = {
  'docs/configuration.md': configurationPage,
  'docs/lifecycle.md': lifecyclePage,
  'docs/lifecycle.svg': () => drawMap(),
};
