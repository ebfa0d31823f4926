import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CommandLine, createCommandLine, type Running } from '../cli/command-line.ts';

/** What somebody sees who has cloned the project and typed `npm start`: real processes, nothing configured. */
let shell: CommandLine;
let server: Running;
let url = '';
beforeAll(async () => {
  shell = createCommandLine();
  server = shell.start(['serve', '--samples'], { env: { PORT: '0' }, boundMs: 420_000 });
  [, url = ''] = await server.until(/web +(http:\/\/127\.0\.0\.1:\d+)\n/);
});
afterAll(() => shell.close());

const soon = <T>(look: () => Promise<T>, otherwise: string) =>
  expect.poll(look, { timeout: 60_000, interval: 250, message: otherwise });
// biome-ignore lint/suspicious/noExplicitAny: an answer is whatever came; the tests say what it must be.
const get = async (path: string): Promise<any> => (await fetch(`${url}/api/v1${path}`)).json();
// biome-ignore lint/suspicious/noExplicitAny: as above.
const post = async (path: string): Promise<{ status: number; json: any }> => {
  const answer = await fetch(`${url}/api/v1/samples/${path}`, { method: 'POST' });
  return { status: answer.status, json: await answer.json() };
};
const acceptedOf = async (source: string) => {
  const { counts } = await get('/standing');
  return counts
    .filter(
      (one: { source: string; status: string }) =>
        one.source === source && ['sent', 'delivered'].includes(one.status),
    )
    .reduce((sum: number, { count }: { count: number }) => sum + count, 0);
};

test('within a minute all three sources have told somebody something', async () => {
  for (const source of ['newsletters', 'code-reviews', 'course-seats'])
    await soon(() => acceptedOf(source), `${source} has told nobody`).toBeGreaterThan(0);
  // Whoever looks for the first time is not to wonder why half of it was stopped.
  const { counts } = await get('/standing');
  expect(counts.filter(({ status }: { status: string }) => status.startsWith('skipped_'))).toEqual([]);
});

test('each button does what it says', async () => {
  const [newsletters, reviews] = [await acceptedOf('newsletters'), await acceptedOf('code-reviews')];
  const seat = await post('seat');
  expect([seat.status, seat.json.indexNumber]).toEqual([202, expect.stringMatching(/^\d{5}$/)]);
  expect(await post('newsletter')).toMatchObject({ status: 202, json: { people: 24 } });
  expect(await post('review')).toMatchObject({ status: 202, json: { changelistId: 'cl-1001', people: 4 } });
  await soon(() => acceptedOf('newsletters'), 'no second month').toBeGreaterThanOrEqual(newsletters + 24);
  await soon(() => acceptedOf('code-reviews'), 'no second review').toBe(reviews + 4);
});

test('the worker is killed in mid-send: another takes over, and nobody has it twice', {
  timeout: 300_000,
}, async () => {
  const [{ status, json }, second] = await Promise.all([post('kill'), post('kill')]);
  expect(second).toMatchObject({ status: 409, json: { code: 'killing_already' } });
  expect([status, json]).toMatchObject([202, { people: 48, twice: 0, lost: null }]);
  // Everybody is in one place, while it is open and when it is not.
  const sum = ({ told, underWay, notToBeTold, lost }: Record<string, number | null>) =>
    (told ?? 0) + (underWay ?? 0) + (notToBeTold ?? 0) + (lost ?? 0);
  expect(sum(json)).toBe(48);
  expect(json.onTheWire).toBeGreaterThan(0);
  // So is what it had in hand when it died, and what of that is open adds up with it.
  expect(json.heard + json.onTheWire + json.notLeft).toBe(48);
  // A signal is sent, and not waited for.
  await soon(async () => isAlive(json.killedPid), 'the killed one lives on').toBe(false);
  // All but those of which nobody can know yet: these wait for the lease of the dead to be over.
  await soon(async () => {
    const { workerPid, killing } = await get('/samples');
    const isTakenOver = workerPid !== null && workerPid !== json.killedPid;
    return isTakenOver && killing.lookedIntoAt !== null && killing.underWay + killing.unheard > 0;
  }, 'nobody has taken over').toBe(true);
  const { killing } = await get('/samples');
  expect([killing, sum(killing)]).toMatchObject([{ twice: 0, lost: null }, 48]);
  // And these, too, in the end: once each.
  const settled = { timeout: 170_000, interval: 1_000, message: 'not settled' };
  await expect.poll(async () => (await get('/samples')).killing.lost, settled).toBe(0);
  expect(await get('/samples')).toMatchObject({
    killing: { people: 48, told: 48, twice: 0, unheard: 0, underWay: 0, lost: 0 },
  });
});

test('a real provider is refused this database', async () => {
  const env = { ...{ MAIL_PROVIDER: 'smtp', SMTP_URL: 'smtp://127.0.0.1:9', PORT: '0' }, ...inEarnest };
  const { code, err } = await shell.run(['serve'], { env });
  expect([code, err]).toEqual([2, expect.stringContaining('holds the sample people of the first minute')]);
});
const inEarnest = {
  EMAIL_FROM_ADDRESS: 'news@example.org',
  PLATFORM_BASE_URL: 'https://mail.example.org',
  TOKEN_SECRET: 'a-secret-of-more-than-thirty-two-characters',
};

test('a signal ends it, and its worker with it', async () => {
  const { workerPid } = await get('/samples');
  server.signal('SIGTERM');
  expect((await server.ended).code).toBe(0);
  expect(isAlive(workerPid)).toBe(false);
});

test('killed itself, it leaves no worker behind', async () => {
  const other = shell.start(['serve', '--samples', '--json'], { env: { PORT: '0' }, boundMs: 60_000 });
  const [, at = ''] = await other.until(/"url": ?"(http[^"]+)"/);
  url = at;
  await soon(async () => (await get('/samples')).workerPid, 'no worker').not.toBeNull();
  const { workerPid } = await get('/samples');
  other.signal('SIGKILL');
  await other.ended;
  await soon(async () => isAlive(workerPid), 'the worker lives on').toBe(false);
});

/** A zombie is dead. */
function isAlive(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z');
}
