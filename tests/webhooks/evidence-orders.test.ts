import { describe, expect, it } from 'vitest';
import { evidenceEventNames } from '../../src/domain/evidence.ts';
import { applyEvidence, type DeliveryState, type EvidenceReport } from '../../src/domain/transition.ts';
import { stateFrom } from './state-from.ts';

/** Any order and any duplication of the same evidence end the same: `applyEvidence` by itself, which webhooks go through. */
/** All evidence that two rounds of one delivery can bring, each with its own time and message. */
const allEvidence: EvidenceReport[] = [1, 2].flatMap((round) =>
  evidenceEventNames
    // Two of the three that suppress are enough: they differ in nothing but the name. A full quota has a test of its own.
    .filter((event) => event !== 'complained' && event !== 'over_quota')
    .map((event, index) => ({
      event,
      round,
      at: 1000 * round + index,
      messageId: `message-${round}`,
      roundsMax: 3,
      dueAt: 9,
    })),
);

/** What the promise is about: everything that evidence decides, not when somebody looks at the row next. */
function decided(state: DeliveryState) {
  const { status, evidence, round, sentAt, deliveredAt, providerMessageId } = state;
  return `${status} ${evidence} ${round} ${sentAt} ${deliveredAt} ${providerMessageId}`;
}

function stateAfter(start: DeliveryState, reports: readonly EvidenceReport[]): DeliveryState {
  let state = start;
  for (const report of reports) {
    const result = applyEvidence(state, report);
    if (result.changed) state = result.state;
  }
  return state;
}

function* subsets<T>(items: readonly T[], sizeMax: number, from = 0): Generator<T[]> {
  yield [];
  if (sizeMax === 0) return;
  for (let index = from; index < items.length; index++) {
    for (const rest of subsets(items, sizeMax - 1, index + 1)) yield [items[index] as T, ...rest];
  }
}

/** What some orders of the same reports have left behind: they go on as one. */
interface Reached {
  state: DeliveryState;
  /** How often each report was told. */
  told: readonly number[];
  orders: number;
}

/** One report more, in every order: each may be told so often, `atOnce` times in a row. */
function tellOneMore(
  reached: readonly Reached[],
  reports: readonly EvidenceReport[],
  { times, atOnce }: { times: number; atOnce: number },
): Reached[] {
  const next = new Map<string, Reached>();
  for (const { state, told, orders } of reached) {
    for (const [index, report] of reports.entries()) {
      if (told[index] === times) continue;
      const after = stateAfter(state, Array<EvidenceReport>(atOnce).fill(report));
      const here = told.with(index, (told[index] ?? 0) + atOnce);
      const key = `${here} ${JSON.stringify(after)}`;
      const known = next.get(key);
      if (known) known.orders += orders;
      else next.set(key, { state: after, told: here, orders });
    }
  }
  return [...next.values()];
}

const ordersIn = (reached: readonly Reached[]) => reached.reduce((sum, { orders }) => sum + orders, 0);

const begun = stateFrom({ status: 'sending', round: 1, evidence: 4 });
const waiting = stateFrom({ status: 'pending', round: 0, evidence: 0, dueAt: 0 });

describe('evidence', () => {
  it('ends the same in every order of up to eight events, each told twice and any of them again', () => {
    for (const start of [begun, waiting]) {
      const wanted = new Map<string, string>();
      const counted: number[] = [];
      let reached: Reached[] = [{ state: start, told: allEvidence.map(() => 0), orders: 1 }];
      for (let count = 1; count <= 8; count++) {
        reached = tellOneMore(reached, allEvidence, { times: 2, atOnce: 2 });
        counted.push(ordersIn(reached));
        for (const { state, told } of reached) {
          const set = told.join('');
          const again = allEvidence.filter((_, index) => told[index] !== 0);
          for (const found of [state, ...again.map((report) => stateAfter(state, [report]))].map(decided)) {
            if (!wanted.has(set)) wanted.set(set, found);
            if (found !== wanted.get(set)) expect(found, set).toBe(wanted.get(set));
          }
        }
      }
      // 12! / (12 − k)! for k = 1…8: no order was left out.
      expect(counted).toEqual([12, 132, 1320, 11_880, 95_040, 665_280, 3_991_680, 19_958_400]);
    }
  });

  it('ends the same in every interleaving of four events with their doubles', () => {
    for (const set of subsets(allEvidence, 4)) {
      const wanted = decided(stateAfter(begun, set));
      let reached: Reached[] = [{ state: begun, told: set.map(() => 0), orders: 1 }];
      for (const _ of [...set, ...set]) reached = tellOneMore(reached, set, { times: 2, atOnce: 1 });
      for (const { state } of reached) if (decided(state) !== wanted) expect(decided(state)).toBe(wanted);
      // (2n)! / 2ⁿ
      expect(ordersIn(reached)).toBe([1, 1, 6, 90, 2520][set.length]);
    }
  });
});
