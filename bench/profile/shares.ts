import type { Profiler } from 'node:inspector';
import { SourceMap, type SourceMapPayload } from 'node:module';

/** What a mail is made of, by whose code it is; the first that fits. */
export const parts = {
  'waiting for the database or the provider': [/^\(idle\)$/],
  'collecting garbage': [/^\(garbage collector\)$/],
  'the request: undici, and the provider’s client': [/node_modules\/undici\//, /^src\/providers\//],
  'the database’s client, or SQLite itself': [
    /node_modules\/(pg|pg-.*|kysely|better-sqlite3)\//,
    /^src\/db\//,
  ],
  'making the mail: template, links': [
    /^src\/emails\//,
    /^src\/consent\//,
    /^src\/dispatch\/compose/,
    /node_modules\/react/,
  ],
  'checking the mail, and its hash': [/^src\/domain\/(message|address)/],
  'the outbox: decisions, stories, rows to and fro': [/^src\/outbox\//, /^src\/domain\//],
  'dispatch, pace and the rest of ours': [/^(src|bench)\//],
} as const;
export type PartName = keyof typeof parts | 'Node itself';

/** Microseconds of each part. What Node does is put down to whoever asked it to, where that can be seen. */
export function sharesOf(profile: Profiler.Profile, map: SourceMapPayload): Map<PartName, number> {
  const sources = new SourceMap(map);
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const parents = new Map(
    profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])),
  );
  const named = new Map<number, PartName>();

  function placeOf({ callFrame }: Profiler.ProfileNode): string {
    const { url, functionName, lineNumber, columnNumber } = callFrame;
    if (url === '') return functionName;
    if (!url.endsWith('.mjs') || url.includes('/node_modules/')) return url;
    const entry = sources.findEntry(lineNumber, columnNumber);
    return 'originalSource' in entry ? (/(?:src|bench)\/.*$/.exec(entry.originalSource)?.[0] ?? url) : url;
  }

  function partOf(id: number): PartName {
    const known = named.get(id);
    if (known) return known;
    const node = nodes.get(id);
    const place = node ? placeOf(node) : '';
    const [own] =
      Object.entries(parts).find(([, patterns]) => patterns.some((each) => each.test(place))) ?? [];
    const parent = parents.get(id);
    const found = (own as PartName | undefined) ?? (parent === undefined ? 'Node itself' : partOf(parent));
    named.set(id, found);
    return found;
  }

  const shares = new Map<PartName, number>();
  for (const [index, id] of (profile.samples ?? []).entries()) {
    const part = partOf(id);
    shares.set(part, (shares.get(part) ?? 0) + (profile.timeDeltas?.[index] ?? 0));
  }
  return shares;
}
