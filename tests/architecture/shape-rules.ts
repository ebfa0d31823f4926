import { posix } from 'node:path';
import type { Rule } from './source-files.ts';
import { codeOnly } from './source-text.ts';

export const noDefaultExports: Rule = (files) =>
  files
    .filter(({ text }) =>
      /(?<![\w$.])export\s+default\b|(?<![\w$.])export\s*\{[^}]*\bas\s+default\b/.test(codeOnly(text)),
    )
    .map(
      ({ path }) =>
        `${path} has a default export: export it by name, because a thing has one name everywhere.`,
    );

export const noBarrels: Rule = (files) =>
  files
    .filter(({ path, text }) => /\/index\.tsx?$/.test(path) || isOnlyReexports(text))
    .map(
      ({ path }) =>
        `${path} is a barrel: import from the file that makes the thing, because a reader must see where it comes from.`,
    );

function isOnlyReexports(text: string): boolean {
  const reexport =
    /(?<![\w$.])export\s+(?:type\s+)?(?:\*(?:\s*as\s+[\w$]+)?|\{[^}]*\})\s*from\s*(['"])\s*\1\s*;?/g;
  const code = codeOnly(text);
  return code.trim() !== '' && code.replace(reexport, '').trim() === '';
}

const drawers = /^(?:(?:.+-)?(?:utils?|helpers?)|types|common)$/;

export const noDrawers: Rule = (files) => {
  const named = files.flatMap(({ path }) => {
    const parts = path.split('/');
    const at = parts.findIndex((part) => drawers.test(part.replace(/(?:\.test)?\.tsx?$/, '')));
    return at < 0 ? [] : [parts.slice(0, at + 1).join('/')];
  });
  return [...new Set(named)].map(
    (path) =>
      `${path} is a drawer for everything: name it after what is in it, because a reader looks for things by their name.`,
  );
};

const linesMax = 300;

export const filesAreShort: Rule = (files) =>
  files.flatMap(({ path, text }) => {
    const lines = text.replace(/\n$/, '').split('\n').length;
    return lines <= linesMax
      ? []
      : [
          `${path} has ${lines} lines, and may have ${linesMax}: split it by meaning, because nobody reads more as a whole.`,
        ];
  });

/**
 * The file to open first: the one with the folder's own name, in the singular. std and domain are shelves of things that
 * stand for themselves; consent and emails have one file that matters.
 */
const frontDoors: Readonly<Record<string, string>> = {
  'src/db': 'database.ts',
  'src/outbox': 'outbox.ts',
  'src/sources': 'source.ts',
  'src/providers': 'provider.ts',
  'src/dispatch': 'dispatch.ts',
  'src/runners': 'runner.ts',
  'src/http': 'server.ts',
  'src/client': 'client.ts',
  'src/cli': 'cli.ts',
};

export const foldersHaveAFrontDoor: Rule = (files) => {
  const folders = [...new Set(files.map(({ path }) => posix.dirname(path)))];
  return folders.flatMap((folder) => {
    const isSource = /^src\/sources\/[^/]+$/.test(folder);
    const door = isSource ? `${posix.basename(folder)}.ts` : frontDoors[folder];
    if (door === undefined) return [];
    const file = files.find(({ path }) => path === `${folder}/${door}`);
    if (!file) {
      return [
        `${folder} has no front door: make ${folder}/${door}, because a reader must know which file to open first.`,
      ];
    }
    return opensWithAParagraph(file.text)
      ? []
      : [`${file.path} opens without a word: begin with what ${folder} is, promises and never does.`];
  });
};

/** The first thing that is exported has a doc comment right before it. */
function opensWithAParagraph(text: string): boolean {
  const at = text.search(/^export\b/m);
  return at >= 0 && /\*\/\s*$/.test(text.slice(0, at));
}
