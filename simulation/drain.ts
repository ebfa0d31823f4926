import { CompiledQuery } from 'kysely';
import { type Status, statuses } from '../src/domain/status.ts';
import { hourMs, minuteMs } from './chance.ts';
import { askAgain, checkIntents, isAllAnswered } from './intents.ts';
import { operate, resumeAll } from './people.ts';
import type { Players } from './players.ts';
import { type SimulatedProcess, type TurnKind, turnKinds } from './process.ts';
import type { World } from './world.ts';

/** Those who are there when the troubles are over. */
interface Survivors extends Players {
  /** Some mails are welcome at some hours only: what could not be taken up at once is not left until the next is due. */
  hasHours?: boolean;
}

/** Far more than any run needs: a delivery that is not settled by then never is. */
const drainTurnsMax = 3_000;
/** Three days of questions about silent mails, two rounds of bounces, and the key's window before it. */
const drainLongestMs = 6 * 24 * hourMs;

/** Longer than the slots of the slowest provider are apart, and shorter than a doubt puts anything off for. */
const apartMs = 2_000;

/** No more faults, everybody works: now everything must come to an end. */
export async function drain({ world, processes, restart, hasHours = false }: Survivors): Promise<void> {
  const { clock, watch, mailman } = world;
  if (world.isTroubled()) world.endTroubles();
  await resumeAll(world);
  for (const { faults } of processes) if (!faults.isDead) faults.setClock(0);
  const giveUpAt = clock.now() + drainLongestMs;
  let isSettled = false;
  let waiting = await untold(world);
  for (let turn = 0; turn < drainTurnsMax && watch.violation === null && !isSettled; turn++) {
    for (const [index, { faults, isStopping }] of processes.entries()) {
      if (faults.isDead || isStopping) processes[index] = restart();
    }
    // One after the other: what one process cannot settle in its turn, another must.
    const process = processes[turn % processes.length] as SimulatedProcess;
    await askAgain(world, process);
    while (mailman.tellOne(world, process)) await clock.advance(0);
    for (const row of watch.rows) if (row.status === 'needs_review') await operate(world, row);
    for (const kind of turnKinds)
      if (process.isIdle(kind) && hasWork(kind, world, waiting)) process.start(kind);
    await clock.advance(0);
    watch.lookAround();
    waiting = await untold(world);
    isSettled =
      watch.rows.every(({ status, due_at }) => !statuses[status].isDue && !isOpen(status, due_at)) &&
      mailman.isIdle &&
      waiting.length === 0 &&
      isAllAnswered(world);
    if (isSettled) break;
    const moments = [...watch.rows.map(({ due_at }) => due_at), mailman.nextAt(), ...waiting].filter(
      (at) => at !== null && at !== undefined && at > clock.now(),
    ) as number[];
    const untilNext = Math.min(clock.nextWakeMs() ?? Infinity, ...moments.map((at) => at - clock.now()));
    const isLate = hasHours && hasWork('dispatch', world, waiting);
    // Here everybody begins at one instant, and dispatch first: what is put off again and again, until a doubt is over, would be due each
    // time, have the one slot of a slow provider, and let nobody ask what became of that doubt, or of others. In life they wait apart.
    const isPassedOver = isLate && isAnybodyUnasked(world);
    const waitMs = untilNext === Infinity || isLate ? minuteMs : Math.max(untilNext, 1_000);
    await clock.advance(isPassedOver ? apartMs : waitMs);
    if (clock.now() > giveUpAt) break;
  }
  checkIntents(world);
  if (watch.violation === null && !isSettled) {
    const open = watch.rows.find(({ status, due_at }) => statuses[status].isDue || isOpen(status, due_at));
    const what = open ? `#${open.seq} is still ${open.status}` : 'something in another table still waits';
    watch.violate(
      open?.status === 'sent' ? 'healing' : 'everything ends',
      `${what}, days after the troubles`,
    );
  }
  if (watch.violation === null) await watch.atTheEnd();
}

/** A turn that would find nothing is not worth its time. */
function hasWork(kind: TurnKind, { watch, clock }: World, waiting: readonly number[]): boolean {
  const now = clock.now();
  const isDue = (at: number | null) => at !== null && at <= now + minuteMs;
  const someDue = (...among: Status[]) =>
    watch.rows.some(({ status, due_at }) => among.includes(status) && isDue(due_at));
  switch (kind) {
    case 'dispatch':
      return someDue('pending', 'failed_transient');
    case 'reconcile':
      return someDue('reconciling');
    case 'heal':
      return someDue('sent');
    case 'link':
      return waiting.length > 0;
    case 'sweep': {
      const isUnproven = watch.rows.some(({ status, evidence }) => status === 'sent' && evidence === 0);
      const isExpired = watch.rows.some(
        ({ status, expires_at }) => !statuses[status].isFinal && isDue(expires_at),
      );
      return waiting.length > 0 || isUnproven || isExpired || someDue('claimed', 'sending', 'reconciling');
    }
  }
}

/** It was due in this turn, and still is. */
const isAnybodyUnasked = ({ watch, clock }: World) =>
  watch.rows.some(
    ({ status, due_at }) =>
      (status === 'reconciling' || status === 'sent') && due_at !== null && due_at <= clock.now(),
  );

/** Somebody has to decide, or to ask what became of it. */
const isOpen = (status: string, dueAt: number | null) =>
  status === 'needs_review' || (status === 'sent' && dueAt !== null);

/** When the rest is due that waits in tables of its own: bookkeeping, requests of operators, webhooks that can be linked. */
async function untold({ db }: World): Promise<number[]> {
  return (await db.read.executeQuery(untoldRows)).rows.map(({ due_at }) => due_at);
}

const untoldRows = CompiledQuery.raw(
  `SELECT due_at FROM owed_facts
  UNION ALL SELECT requested_at FROM operator_requests WHERE performed_at IS NULL
  UNION ALL SELECT webhook_events.due_at FROM webhook_events JOIN deliveries USING (provider_message_id)
    WHERE processed_at IS NULL
  UNION ALL SELECT webhook_events.due_at FROM webhook_events JOIN delivery_mails USING (provider_message_id)
    WHERE processed_at IS NULL`,
) as CompiledQuery<{ due_at: number }>;
