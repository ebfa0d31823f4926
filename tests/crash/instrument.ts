import { relative, sep } from 'node:path';
import type { Plugin } from 'vite';
import { crashFolders, pointsOf, root } from './points.ts';

/**
 * Puts a point after every await in the folders that move deliveries, when these tests load them: `await x` becomes
 * `await tidingsPoint(name, async () => (x))`. The program itself knows nothing of it.
 */
export function crashPoints(): Plugin {
  return {
    name: 'crash-points',
    enforce: 'post',
    transform(code, id) {
      const file = relative(root, id.split('?')[0] ?? '')
        .split(sep)
        .join('/');
      if (!crashFolders.some((folder) => file.startsWith(`${folder}/`)) || file.endsWith('.test.ts')) return;
      const awaits = awaitsIn(this.parse(code)).sort((a, b) => a.start - b.start);
      const points = pointsOf(file);
      if (awaits.length !== points.length) {
        throw new Error(`${file}: ${awaits.length} awaits to instrument, but ${points.length} in its source`);
      }
      const insertions = awaits.flatMap(({ start, end }, index) => [
        { at: start + 'await'.length, text: ` tidingsPoint(${JSON.stringify(points[index])}, async () => (` },
        { at: end, text: '))' },
      ]);
      return { code: inserted(code, insertions), map: null };
    },
  };
}

interface Span {
  start: number;
  end: number;
}

function awaitsIn(node: unknown): Span[] {
  if (Array.isArray(node)) return node.flatMap(awaitsIn);
  if (typeof node !== 'object' || node === null) return [];
  const inside = Object.values(node).flatMap(awaitsIn);
  return (node as { type?: unknown }).type === 'AwaitExpression' ? [node as Span, ...inside] : inside;
}

function inserted(code: string, insertions: readonly { at: number; text: string }[]): string {
  let result = '';
  let copied = 0;
  for (const { at, text } of [...insertions].sort((a, b) => a.at - b.at)) {
    result += code.slice(copied, at) + text;
    copied = at;
  }
  return result + code.slice(copied);
}
