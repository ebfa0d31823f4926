import type { Address } from '../domain/address.ts';
import type { Source } from './source.ts';

/** More than anybody has; whoever has more finds the newest. */
const recipientsMax = 100;

/** Under which names the sources know the owner of an address, for a search of the outbox, which knows no sources. */
export async function recipientsAt(
  sources: readonly Source[],
  address: Address,
): Promise<{ source: string; recipients: string[] }[]> {
  const known = [];
  for (const source of sources) {
    const recipients = (await source.recipientsAt?.(address, recipientsMax)) ?? [];
    if (recipients.length > 0) known.push({ source: source.name, recipients });
  }
  return known;
}
