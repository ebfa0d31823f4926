import { posix } from 'node:path';
import { type Import, importsOf } from './imports.ts';
import { exceptions, layerKey, layerOf } from './layers.ts';
import { isIn, type Rule } from './source-files.ts';

export const importsFollowTheTable: Rule = (files) =>
  files.flatMap(({ path, text }) => importsOf(text).flatMap((one) => problemOf(path, one)));

function problemOf(path: string, { specifier, isTypeOnly }: Import): string[] {
  const layer = layerOf(path);
  if (!layer) return []; // everyFolderIsInTheTable says so.
  if (specifier === null) {
    return [
      `${path} imports what only a run can tell: write the path out, because imports are checked by reading.`,
    ];
  }
  if (!specifier.startsWith('.')) return [];
  const target = posix.join(posix.dirname(path), specifier);
  if (!isIn(target, 'src')) {
    return [
      `${path} imports ${target}: nothing in src may import from outside it, because only src is shipped.`,
    ];
  }
  if (layerKey(target) === layerKey(path) || layer.may.some((place) => isIn(target, `src/${place}`)))
    return [];
  const exception = exceptions.find(({ from, to }) => from === path && to === target);
  if (exception && (isTypeOnly || !exception.typesOnly)) return [];
  if (exception) {
    return [
      `${path} imports more than types from ${target}: it may import types only, because ${exception.because}.`,
    ];
  }
  return [
    `${path} imports ${target}: ${layer.name} may import only ${listed(layer.may)}, because ${layer.because}.`,
  ];
}

function listed(places: readonly string[]): string {
  return places.length === 0 ? 'itself' : `${places.join(', ')} and itself`;
}

export const everyFolderIsInTheTable: Rule = (files) => {
  const unknown = files.map(({ path }) => path).filter((path) => !layerOf(path));
  return [...new Set(unknown.map(layerKey))].map(
    (key) => `src/${key} is in no layer: say in tests/architecture/layers.ts whom it may import, and why.`,
  );
};

export const exceptionsAreNeeded: Rule = (files) =>
  exceptions
    .filter(({ from, to }) => {
      const text = files.find(({ path }) => path === from)?.text ?? '';
      return !importsOf(text).some(
        ({ specifier }) => specifier !== null && posix.join(posix.dirname(from), specifier) === to,
      );
    })
    .map(
      ({ from, to }) =>
        `${from} does not import ${to} any more: remove the exception from tests/architecture/layers.ts.`,
    );
