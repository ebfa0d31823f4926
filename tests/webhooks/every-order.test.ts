import { describe, expect, it } from 'vitest';
import { plainPolicy } from '../../src/domain/policy.ts';
import { systemClock } from '../../src/std/clock.ts';
import { silentLog } from '../../src/std/log.ts';
import type { SignedRequest } from '../../src/webhooks/signature.ts';
import { createWebhooks, type Webhooks } from '../../src/webhooks/webhook.ts';
import { webhookSecret } from '../support/webhooks.ts';
import { expectedEnd } from './expected-end.ts';
import { type History, histories, startAt, whereabouts, wordsOf } from './histories.ts';
import { createMemoryLog, type Memory } from './memory-log.ts';
import { eventBody, signed } from './signed.ts';
import { stateFrom } from './state-from.ts';

/**
 * For a fixed history of begun rounds, webhooks in every order and with any of them told again end as what was told says:
 * to six of eight chosen events in five histories, to two or three of all there are wherever else a delivery may be. Through
 * everything that reads, finds and reports them.
 */
const deliveryId = '6f0c2c6e-5a53-5f3e-9c1a-0d5a3a5d2b11';
const toldOfEight = 6;
const hour = 3_600_000;

/** The orders of up to six of eight: 8 + 8·7 + … + 8·7·6·5·4·3. */
const ordersOfEight = 28_960;

describe.each(histories)('$name', (history) => {
  it(`each set of up to ${toldOfEight} webhooks ends as it says in all ${ordersOfEight} orders, any told again`, async () => {
    const { orders, ends } = await tellInEveryOrder(history, toldOfEight);
    expect(orders).toBe(ordersOfEight);
    expect(ends.size).toBe(246); // 8 + 28 + 56 + 70 + 56 + 28 sets
    const statuses = new Set([...ends.values()].map((end) => JSON.parse(end).status));
    expect(statuses.size).toBeGreaterThanOrEqual(3);
  });
});

describe.each(whereabouts)('$name', ({ told, ...history }) => {
  it(`each ${told} of all ${history.events.length} webhooks end as they say in every order, any told again`, async () => {
    const { orders } = await tellInEveryOrder(history, told);
    const { length } = history.events;
    expect(orders).toBe(length + length * (length - 1) * (told === 3 ? 1 + length - 2 : 1));
  });
});

async function tellInEveryOrder(history: History, told: number) {
  const log = createMemoryLog(startOf(history), deliveryId);
  let now = startAt + hour;
  const webhooks = createWebhooks({
    events: log,
    clock: { ...systemClock, now: () => now },
    log: { debug() {}, info() {}, warn() {}, error: silentLog.error },
    ...{ secrets: [webhookSecret], environment: 'test', policyOf: () => plainPolicy, retentionMs: hour },
  });
  const requests = history.events.map((said, index) => {
    const body = eventBody(wordsOf(said, deliveryId, 'x'));
    const at = now;
    return { event: signed(`msg_${index}`, body, { at }), again: signed(`msg_again_${index}`, body, { at }) };
  });
  const ends = new Map<number, string>();
  let orders = 0;

  /** The end, after what waited for a message id was tried again; the memory is left as it was. */
  async function endOf(): Promise<string> {
    const before = log.memory;
    if ([...before.events.values()].some(({ dueAt }) => dueAt !== null)) {
      now += hour;
      await webhooks.linkWaiting();
      now -= hour;
    }
    const end = JSON.stringify(decided(log.memory));
    log.memory = before;
    return end;
  }

  async function tellOn(set: number, sequence: readonly number[]): Promise<void> {
    const before = log.memory;
    for (const [index, { event }] of requests.entries()) {
      if (set & (1 << index)) continue;
      log.memory = before;
      await tell(webhooks, event, false);
      const order = [...sequence, index];
      const here = set | (1 << index);
      const end = await endOf();
      orders += 1;
      if (!ends.has(here)) {
        ends.set(here, end);
        const { reason: _, ...expected } = expectedEnd(
          history,
          order.flatMap((at) => history.events[at] ?? []),
        );
        expect(JSON.parse(end), `told as ${order.map((at) => history.events[at]?.name)}`).toMatchObject({
          ...expected,
          facts: [...expected.facts].sort(),
        });
      }
      if (ends.get(here) !== end) {
        const names = order.map((at) => history.events[at]?.name).join(', ');
        expect(end, `told as ${names}`).toBe(ends.get(here));
      }
      await tellAgain(order, end);
      if (order.length < told) await tellOn(here, order);
    }
    log.memory = before;
  }

  /**
   * Whatever was told, told once more: one as the same event, and all as events to which the provider gave another id. After
   * six it is one of them, in turn, and in each seventh order.
   */
  async function tellAgain(order: readonly number[], end: string): Promise<void> {
    if (order.length === toldOfEight && orders % 7 > 0) return;
    const before = log.memory;
    const one = order[orders % order.length] ?? 0;
    await tell(webhooks, requestOf(one).event, true);
    for (const index of order.length < told ? order : [one])
      await tell(webhooks, requestOf(index).again, false);
    if ((await endOf()) !== end) {
      const names = order.map((at) => history.events[at]?.name).join(', ');
      expect(await endOf(), `told as ${names}, and then all again`).toBe(end);
    }
    log.memory = before;
  }
  const requestOf = (index = 0) => requests[index] as (typeof requests)[number];

  await tellOn(0, []);
  return { orders, ends };
}

async function tell(webhooks: Webhooks, request: SignedRequest, isRepeat: boolean): Promise<void> {
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
