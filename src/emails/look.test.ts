import { expect, test } from 'vitest';
import { dark, light, styleSheet } from './look.ts';

/** WCAG 2.2: relative luminance, and the ratio of two. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [less = 0, more = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (more + 0.05) / (less + 0.05);
}

test.each([
  ['light', light],
  ['dark', dark],
])('what is read has the contrast of AA: %s', (_, look) => {
  for (const colour of ['ink', 'quiet', 'accent'] as const) {
    expect(contrast(look[colour], look.paper), colour).toBeGreaterThanOrEqual(4.5);
  }
  expect(contrast(look.onAccent, look.accent)).toBeGreaterThanOrEqual(4.5);
});

test('the style sheet cannot end its element, and loads nothing', () => {
  expect(styleSheet).not.toMatch(/[<>]|url\(|@import/);
});
