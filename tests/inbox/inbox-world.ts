import type { DialectName } from '../../src/db/dialect.ts';
import { createReports } from '../../src/inbox/reports.ts';
import { createSwitches, type Switches } from '../../src/inbox/switches.ts';
import { createCapture } from '../../src/providers/capture.ts';
import type { ChaosSwitch } from '../../src/providers/chaos.ts';
import type { Provider } from '../../src/providers/provider.ts';
import { createReliable } from '../../src/providers/reliable.ts';
import type { Chore } from '../../src/sources/source.ts';
import type { Clock } from '../../src/std/clock.ts';
import { systemIds } from '../../src/std/ids.ts';
import { createSeededRandom } from '../../src/std/random.ts';
import type { Webhooks } from '../../src/webhooks/webhook.ts';
import { createDispatchWorld, type DispatchWorld, signal } from '../support/dispatch-world.ts';
import { webhooksOf } from '../support/webhooks.ts';
import { advanceUntil } from '../support/world.ts';

/** The outbox, those who work between it and the provider, and the inbox as a process has it: with switches and reports. */
export interface InboxWorld extends Omit<DispatchWorld, 'provider'> {
  inbox: Provider;
  switches: Switches;
  reports: Chore;
  webhooks: Webhooks;
  on(...names: ChaosSwitch[]): Promise<void>;
  off(...names: ChaosSwitch[]): Promise<void>;
  /** Sends what is due now; whoever waits for an answer has it. */
  send(): Promise<void>;
  /** Time enough that what is in doubt is looked into, what waits is due, and a provider that asked for patience has had it. */
  later(): Promise<void>;
  /** Time enough for every report. */
  report(): Promise<void>;
  /** What the provider has, by subject. */
  mails(): Promise<string[]>;
  /** The events that were kept, as they came. */
  events(): Promise<{ type: string; repeats: number; outcome: string | null }[]>;
}

const longMs = 60 * 60_000;

/** While a database works at its own pace nobody's patience ends: the test's clock goes on to whoever sleeps, also to who waits for an answer. */
const patient = (clock: Clock): Clock => ({
  ...clock,
  sleep: (ms, signal) =>
    ms > 10_000 && signal
      ? new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
      : clock.sleep(ms, signal),
});

export async function createInboxWorld(dialect: DialectName): Promise<InboxWorld> {
  const { provider: _, ...world } = await createDispatchWorld(dialect);
  const { db, clock, outbox } = world;
  const switches = createSwitches({ db, clock, environment: 'test' });
  const capture = createCapture({ db, clock, ids: systemIds, switchesOn: switches.on });
  const inbox = createReliable(capture, { clock: patient(clock), random: createSeededRandom(1) });
  const webhooks = webhooksOf({ db, clock, outbox });
  const reports = createReports({ db, clock, webhooks });
  const send = async () => {
    await advanceUntil(clock, world.dispatch({ provider: inbox }).runOnce(signal()));
  };
  return {
    ...{ ...world, inbox, switches, reports, webhooks, send },
    async on(...names) {
      for (const name of names) await switches.turnOn(name, { forMs: longMs, by: 'a test' });
    },
    async off(...names) {
      for (const name of names) await switches.turnOff(name);
    },
    async later() {
      for (let turn = 0; turn < 6; turn++) {
        await clock.advance(60_000);
        await world.sweep().runOnce();
        await advanceUntil(clock, world.reconcile(inbox).runOnce(signal()));
        await send();
      }
    },
    async report() {
      for (let turn = 0; turn < 12; turn++) {
        await clock.advance(1_000);
        await reports.once(signal());
      }
    },
    mails: async () =>
      (await db.read.selectFrom('captured_mails').select('mail').orderBy('captured_seq').execute()).map(
        ({ mail }) => (JSON.parse(mail) as { subject: string }).subject,
      ),
    events: async () =>
      db.read
        .selectFrom('webhook_events')
        .select(['type', 'repeats', 'outcome'])
        .orderBy('event_seq')
        .execute(),
  };
}
