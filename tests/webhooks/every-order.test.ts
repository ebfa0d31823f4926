import { describe, expect, it } from 'vitest';
import { plainPolicy } from '../../src/domain/policy.ts';
import { systemClock } from '../../src/std/clock.ts';
import { silentLog } from '../../src/std/log.ts';
import type { WebhookRequest } from '../../src/webhooks/informant.ts';
import { createWebhooks, type Webhooks } from '../../src/webhooks/webhook.ts';
import { expectedEnd } from './expected-end.ts';
import { type History, histories, startAt, whereabouts, wordsOf } from './histories.ts';
import { createMemoryLog, type Memory } from './memory-log.ts';
import { stateFrom } from './state-from.ts';
import { type Tongue, tongues } from './tongues.ts';

/**
 * For a fixed history of begun rounds, webhooks in every order and with any of them told again end as what was told says:
 * eight chosen events in five histories, two or three of all there are wherever else a delivery may be. Through everything
 * that reads, finds and reports them.
 *
 * What comes next depends on what is remembered alone. So orders that leave the same memory go on as one: they are counted,
 * not told again.
 */
const deliveryId = '6f0c2c6e-5a53-5f3e-9c1a-0d5a3a5d2b11';
const hour = 3_600_000;

/** The orders of up to eight: 8 + 8·7 + … + 8!; and of seven, where a provider has no word for one of them. */
const ordersOf: Readonly<Record<number, number>> = { 7: 13_699, 8: 109_600 };

describe.each(tongues)('in the words of $provider', (tongue) => {
  const sayable = <H extends History>(all: readonly H[]): H[] =>
    all.map((history) => ({ ...history, events: history.events.filter((said) => tongue.canSay(said)) }));

  describe.each(sayable(histories))('$name', (history) => {
    const { length } = history.events;
    it(`each set of up to ${length} webhooks ends as it says in all ${ordersOf[length]} orders, any told again`, async () => {
      const { orders, ends } = await tellInEveryOrder(history, length, tongue);
      expect(orders).toBe(ordersOf[length]);
      expect(ends.size).toBe(2 ** length - 1);
      const statuses = new Set([...ends.values()].map((end) => JSON.parse(end).status));
      expect(statuses.size).toBeGreaterThanOrEqual(3);
    });
  });

  describe.each(sayable(whereabouts))('$name', ({ told, ...history }) => {
    it(`each ${told} of all ${history.events.length} webhooks end as they say in every order, any told again`, async () => {
      const { orders } = await tellInEveryOrder(history, told, tongue);
      const { length } = history.events;
      expect(orders).toBe(length + length * (length - 1) * (told === 3 ? 1 + length - 2 : 1));
    });
  });
});

/** What some orders of a set of webhooks have left behind. */
interface Reached {
  set: number;
  memory: Memory;
  /** One of them. */
  order: readonly number[];
  orders: number;
}

async function tellInEveryOrder(history: History, told: number, tongue: Tongue) {
  const log = createMemoryLog(startOf(history), deliveryId);
  let now = startAt + hour;
  const webhooks = createWebhooks({
    events: log,
    clock: { ...systemClock, now: () => now },
    log: { debug() {}, info() {}, warn() {}, error: silentLog.error },
    ...{
      secrets: tongue.secrets,
      environment: 'test',
      policyOf: () => plainPolicy,
      retentionMs: hour,
    },
  });
  const requests = history.events.map((said, index) => {
    const words = wordsOf(said, deliveryId, 'x');
    const request = (id: string) => tongue.request(id, words, now);
    return { event: request(`msg_${index}`), again: request(`msg_again_${index}`) };
  });
  const namesOf = (order: readonly number[]) => order.map((at) => history.events[at]?.name).join(', ');
  const ends = new Map<number, string>();

  /** The end, after what waited for a message id was tried again; the memory is left as it was. */
  async function endOf(): Promise<string> {
    const before = log.memory;
    if (waitingIn(before).length > 0) {
      now += hour;
      await webhooks.linkWaiting();
      now -= hour;
    }
    const end = JSON.stringify(decided(log.memory));
    log.memory = before;
    return end;
  }

  async function tellOneMore(reached: Iterable<Reached>): Promise<Map<string, Reached>> {
    const next = new Map<string, Reached>();
    for (const { set, memory, order, orders } of reached) {
      for (const [index, { event }] of requests.entries()) {
        if (set & (1 << index)) continue;
        log.memory = memory;
        await tell(webhooks, event, false);
        const here = set | (1 << index);
        const key = `${here} ${JSON.stringify([decided(log.memory), log.memory.state, waitingIn(log.memory)])}`;
        const known = next.get(key);
        if (known) known.orders += orders;
        else next.set(key, { set: here, memory: log.memory, order: [...order, index], orders });
      }
    }
    return next;
  }

  async function check({ set, memory, order }: Reached): Promise<void> {
    log.memory = memory;
    const end = await endOf();
    if (!ends.has(set)) {
      ends.set(set, end);
      const { reason: _, ...expected } = expectedEnd(
        history,
        order.flatMap((at) => history.events[at] ?? []),
      );
      expect(JSON.parse(end), `told as ${namesOf(order)}`).toMatchObject({
        ...expected,
        facts: [...expected.facts].sort(),
      });
    }
    if (ends.get(set) !== end) expect(end, `told as ${namesOf(order)}`).toBe(ends.get(set));
    await tellAgain(order, end);
  }

  /** Whatever was told, told once more: each as the same event, and all as events to which the provider gave another id. */
  async function tellAgain(order: readonly number[], end: string): Promise<void> {
    for (const index of order) await tell(webhooks, requestOf(index).event, true);
    for (const index of order) await tell(webhooks, requestOf(index).again, false);
    const after = await endOf();
    if (after !== end) expect(after, `told as ${namesOf(order)}, and then all again`).toBe(end);
  }
  const requestOf = (index: number) => requests[index] as (typeof requests)[number];

  let orders = 0;
  let reached: readonly Reached[] = [{ set: 0, memory: log.memory, order: [], orders: 1 }];
  for (let count = 1; count <= told; count++) {
    reached = [...(await tellOneMore(reached)).values()];
    for (const one of reached) await check(one);
    orders += reached.reduce((sum, one) => sum + one.orders, 0);
  }
  return { orders, ends };
}

/** In the order in which they will be tried again. */
function waitingIn({ events }: Memory): readonly string[] {
  return [...events].flatMap(([id, { dueAt, tries }]) => (dueAt === null ? [] : [`${id} ${dueAt} ${tries}`]));
}

async function tell(webhooks: Webhooks, request: WebhookRequest, isRepeat: boolean): Promise<void> {
  const answer = await webhooks.receive(request);
  if (answer.isRefused || answer.isRepeat !== isRepeat)
    expect(answer).toEqual({ isRefused: false, isRepeat });
}

function startOf({ state, earlierIds }: History): Memory {
  return { state: stateFrom(state), earlierIds, facts: [], events: new Map() };
}

function decided({ state, earlierIds, facts }: Memory) {
  const { status, evidence, round, attempts, sentAt, deliveredAt, providerMessageId } = state;
  return {
    ...{ status, evidence, round, attempts, sentAt, deliveredAt, providerMessageId },
    ...{ earlierIds: [...earlierIds].sort(), facts: [...facts].sort() },
  };
}
