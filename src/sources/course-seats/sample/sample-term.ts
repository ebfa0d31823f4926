/** The term for which people look for seats now: registration for a term begins some months before it does. */
export function sampleTermId(now: number): string {
  const date = new Date(now);
  const month = date.getUTCMonth() + 1;
  const year = date.getUTCFullYear();
  if (month <= 3) return `1${year}`;
  return month <= 9 ? `9${year}` : `1${year + 1}`;
}
