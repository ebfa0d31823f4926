import { createTokens } from '../../src/consent/token.ts';
import type { SubscriptionRow } from '../../src/db/seats-schema.ts';
import { type Chance, hourMs, minuteMs } from '../chance.ts';
import type { SimulatedProcess } from '../process.ts';
import { type Section, seatSecrets, termId } from './campus.ts';
import type { CampusScene } from './run-campus.ts';

/** Students, by the link that only they have: whoever changes their mind does so through any process, and waits for no answer. */

const tokens = createTokens(seatSecrets, 'seats');
const windows = [
  null,
  { startMinutes: 480, endMinutes: 1_320 },
  { startMinutes: 1_320, endMinutes: 480 },
  { startMinutes: 1_080, endMinutes: 1_140 },
];

const wishes = {
  ...{ confirm: 3, pause: 5, resume: 4, snooze: 6, window: 4, max: 2, cancel: 3, undo: 4, create: 4 },
};
type Wish = keyof typeof wishes;
/** Of who is about to be told, and does not want it now. */
const seconds = { pause: 4, snooze: 4, window: 2, cancel: 1 } satisfies Partial<Record<Wish, number>>;

export async function changeWishes(
  scene: CampusScene,
  process: SimulatedProcess,
  isSecondThought = false,
): Promise<void> {
  const { world } = scene;
  const { chance, clock, story, watch, mayStrike, tally } = world;
  const all = [...(world.beside.campus?.seats.watches.values() ?? [])];
  const waiting = (status: string) =>
    all.filter(({ subscription_id }) =>
      watch.rows.some(
        (row) =>
          row.status === status && row.source === 'course-seats' && row.recipient === String(subscription_id),
      ),
    );
  const claimed = waiting('claimed');
  const pending = [...waiting('pending'), ...waiting('failed_transient')];
  const critical = claimed.length > 0 ? claimed : pending;
  const isCritical = critical.length > 0 && (isSecondThought || chance.isTrue(0.6));
  const one = chance.one(isCritical ? critical : all);
  const wish: Wish = isSecondThought ? chance.weighted(seconds) : chance.weighted(wishes);
  if (pending.includes(one) && !mayStrike('somebody changes their wishes while a mail to them waits')) return;
  if (claimed.includes(one)) tally.fault('somebody changes their wishes while a mail to them is claimed');
  story.tell(
    `${wish === 'create' ? 'somebody' : `watch ${one.subscription_id}`} asks ${process.name}: ${wish}`,
  );
  void say(scene, process, one, wish).catch(() => {});
  await clock.advance(0);
}

async function say(
  { world: { chance, clock }, campus }: CampusScene,
  { seats }: SimulatedProcess,
  { token_id }: SubscriptionRow,
  wish: Wish,
): Promise<unknown> {
  const subscriptions = seats?.subscriptions;
  const token = tokens.of(token_id);
  const now = clock.now();
  switch (wish) {
    case 'confirm':
      return subscriptions?.confirm(token);
    case 'pause':
      return subscriptions?.pause(token);
    case 'resume':
      return subscriptions?.resume(token);
    case 'snooze':
      return subscriptions?.snooze(
        token,
        chance.isTrue(0.3) ? null : now + chance.between(minuteMs, 2 * hourMs),
      );
    case 'window':
      return subscriptions?.setWindow(token, chance.one(windows));
    case 'max':
      return subscriptions?.setMaxNotifications(token, chance.one([null, 1, 2]));
    case 'cancel':
      return subscriptions?.cancel(token);
    case 'undo':
      return subscriptions?.undoCancel(token);
    case 'create':
      return subscriptions?.create(orderFor(chance.one(campus.chosen), chance));
  }
}

/** Somebody, maybe for the second time. */
export async function beginToWatch(
  { world: { chance, clock, story } }: CampusScene,
  { name, seats }: SimulatedProcess,
  section: Section,
): Promise<void> {
  story.tell(`somebody asks ${name}: create, for ${section.index}`);
  void seats?.subscriptions.create(orderFor(section, chance)).catch(() => {});
  await clock.advance(0);
}

function orderFor({ campusCode, index }: Section, chance: Chance) {
  const email = `student${chance.between(1, 30)}@example.org`;
  return { termId, campusCode, indexNumber: index, email, caller: null };
}
