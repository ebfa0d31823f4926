/** What `npm run proof` runs unless it is told otherwise, and less than which is never written down. */
export const fullSize = { seeds: 100_000, kills: 500, images: 200 };

/** The step that each size is about. */
export const stepOf = { seeds: 'simulate', kills: 'kills', images: 'images' };

/**
 * What a run is in which some steps, or some of their size, are left out: `1 of 7 steps, 5 of 100,000 seeds`, and which steps are
 * not in it. Null for a whole one.
 */
export function partOf({ names, all, order }) {
  const smaller = Object.keys(fullSize).filter(
    (size) => names.includes(stepOf[size]) && order[size] < fullSize[size],
  );
  const notRun = all.filter((name) => !names.includes(name));
  if (smaller.length === 0 && notRun.length === 0) return null;
  const sizes = smaller.map((size) => `${number(order[size])} of ${number(fullSize[size])} ${size}`);
  return { what: [`${names.length} of ${all.length} steps`, ...sizes].join(', '), notRun };
}

function number(value) {
  return value.toLocaleString('en-GB');
}
