/** What some work takes: processor time of this process, all of its threads included, and time that passes. */
export interface Taken {
  cpuMs: number;
  wallMs: number;
}

export async function taken(work: () => Promise<unknown>): Promise<Taken> {
  const before = process.cpuUsage();
  const startedAt = performance.now();
  await work();
  const wallMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(before);
  return { cpuMs: (user + system) / 1000, wallMs };
}
