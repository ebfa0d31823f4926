/** How large something is, as people say it: 830 B, 12.4 kB, 5.2 MB. */
export function sizeOf(octets: number, language: string): string {
  const [unit, size] =
    octets < 1_000 ? ['B', octets] : octets < 1_000_000 ? ['kB', octets / 1_000] : ['MB', octets / 1_000_000];
  return `${(size as number).toLocaleString(language, { maximumFractionDigits: 1 })} ${unit}`;
}
