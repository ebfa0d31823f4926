import { existsSync } from 'node:fs';

/**
 * Where the files lie that are read at run time. The source and what is built of it lie in different depths, and a built file
 * may hold any module: so they are found from above.
 */
export const packageFolder = folderOf('package.json', import.meta.url);

const [code] = import.meta.url.slice(packageFolder.href.length).split('/');
/** `src`, or what was built of it. */
export const codeFolder = new URL(`${code}/`, packageFolder);

function folderOf(file: string, below: string): URL {
  const folder = new URL('.', below);
  if (existsSync(new URL(file, folder))) return folder;
  const parent = new URL('..', folder);
  if (parent.href === folder.href) throw new Error(`There is no ${file} in any folder above.`);
  return folderOf(file, parent.href);
}
