import { fileURLToPath } from 'node:url';
import type { RunOptions } from './command-line.ts';

/** The options of a command that is run on a screen of that width. */
export const onScreen = (columns: number, env: Record<string, string> = {}): RunOptions => ({
  program: fileURLToPath(new URL('./screen-entry.mjs', import.meta.url)),
  env: { ...env, SCREEN_COLUMNS: String(columns) },
});

/** With which a line that was there before is taken back. */
export const cleared = '\r\u001b[K';

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours are made of.
const colours = /\u001b\[\d+m/g;
export const withoutColours = (text: string) => text.replaceAll(colours, '');
export const hasColours = (text: string) => withoutColours(text) !== text;
