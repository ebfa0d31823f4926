/** Figures of a real run in a page: between two marks, so that the words around them are anybody's to change. */
export function withFigures(page, name, text) {
  const [begin, end] = [`<!-- figures: ${name} -->`, `<!-- end: ${name} -->`];
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined)
    throw new Error(`The page has no place for the figures of ${name}: ${begin} … ${end}`);
  return `${before}${begin}\n${text}\n${end}${after}`;
}
