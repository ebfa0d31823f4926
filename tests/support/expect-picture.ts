import { expect } from 'vitest';

/** A picture of ours: tags that close, a title and a description for who cannot see it, a dark side, and nothing from anywhere else. */
export function expectPicture(svg: string, name: string): void {
  const open: string[] = [];
  for (const [, slash, tag = '', rest = ''] of svg.matchAll(/<(\/?)([a-z]\w*)([^>]*)>/g)) {
    if (slash) expect(open.pop()).toBe(tag);
    else if (!rest.endsWith('/')) open.push(tag);
  }
  expect(open).toEqual([]);
  const told = `<title id="${name}-title">[^<]+</title>\n<desc id="${name}-description">[^<]+</desc>`;
  expect(svg).toMatch(new RegExp(told));
  expect(svg).toContain('prefers-color-scheme:dark');
  expect(svg).not.toMatch(/href|@import|<image|<script|url\((?!#)/);
}
