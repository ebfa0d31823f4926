import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { codeOnly } from '../architecture/source-text.ts';

/**
 * Where the power can fail: after every await of the code that moves deliveries. The points are read off the source, so
 * that a new await is a new point without anybody thinking of it.
 */
export const root = fileURLToPath(new URL('../../', import.meta.url));
export const crashFolders = ['src/dispatch', 'src/outbox'] as const;

/** `src/outbox/claim.ts:77`, with a letter behind it where a line has several. */
export function pointsOf(file: string): string[] {
  const code = codeOnly(readFileSync(join(root, file), 'utf8'));
  const lines = [...code.matchAll(/\bawait\b/g)].map(
    (match) => code.slice(0, match.index).split('\n').length,
  );
  return lines.map((line, index) => {
    const before = lines.slice(0, index).filter((other) => other === line).length;
    return `${file}:${line}${before === 0 ? '' : String.fromCharCode(97 + before)}`;
  });
}

export function allPoints(): string[] {
  return crashFolders.flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .flatMap((name) => pointsOf(`${folder}/${name}`)),
  );
}
