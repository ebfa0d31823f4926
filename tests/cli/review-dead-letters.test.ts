import { afterAll, beforeAll, expect, test } from 'vitest';
import { bob, createReviewWorld, hourMs, type ReviewWorld, to } from '../reviews/review-world.ts';
import { type CommandLine, createCommandLine } from './command-line.ts';

let shell: CommandLine;
let world: ReviewWorld;
let jobId: string;
beforeAll(async () => {
  shell = createCommandLine();
  world = await createReviewWorld('sqlite');
  world.provider.answer(() => ({ kind: 'refused_for_good', error: { code: 'policy' } }));
  ({ job_id: jobId } = (await world.submit({ recipients: to(bob) })).job.row);
  await world.turn();
  // The commands go by the clock of this machine.
  await world.db.write
    .updateTable('delivery_events')
    .set({ at: Date.now() - 3 * hourMs })
    .execute();
});
afterAll(async () => {
  await shell.close();
  await world.close();
});

test('dead letters are listed with whose turn it is and since when, and the next step comes last', async () => {
  const env = { DATABASE_URL: world.url, PORT: '0' };
  const { code, out } = await shell.run(['reviews', 'dead-letters'], { env });
  expect([code, out.split('\n')]).toEqual([
    0,
    [
      expect.stringMatching(/^RECIPIENT +CHANGE LIST +VERSION +ERROR +UP TO +LAST +DELIVERY +JOB$/),
      expect.stringMatching(
        new RegExp(`^${bob} +CL-17 +3 +permanent_policy \\(policy\\) +operator +3 h ago +1 +${jobId}$`),
      ),
      '',
      'When the cause is gone, tell them after all: npx tidings reviews retry <job> --because "…"',
      '',
    ],
  ]);
  const shown = await shell.run(['reviews', 'show', jobId], { env });
  expect(shown.out).toContain(`  Up to the operator: ${bob} (permanent_policy, policy)\n`);
});
