/** All entries of a list, page by page, as they are asked for: nothing is fetched that nobody reads. */
export async function* each<Cursor extends object, Item>(
  page: (cursor: Cursor | undefined) => Promise<{ items: readonly Item[]; next: Cursor | null }>,
): AsyncGenerator<Item, void, undefined> {
  let cursor: Cursor | undefined;
  for (;;) {
    const { items, next } = await page(cursor);
    yield* items;
    if (next === null) return;
    cursor = next;
  }
}
