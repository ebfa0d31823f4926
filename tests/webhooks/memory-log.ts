import { applyEvidence, type DeliveryState, type EvidenceReport } from '../../src/domain/transition.ts';
import { factsOf } from '../../src/outbox/facts.ts';
import type { WaitingEvent, WebhookLog, WebhookPage } from '../../src/webhooks/webhook-log.ts';
import { startAt } from './histories.ts';

/**
 * One delivery and what was told of it, in memory: as fast as the code that is tried. Evidence is applied by the same pure
 * functions as in the outbox, and facts are told by its own; only message ids are kept here by its rules.
 */
export interface Memory {
  state: DeliveryState;
  /** Of rounds before the latest, set once. */
  earlierIds: ReadonlyMap<number, string>;
  facts: readonly string[];
  events: ReadonlyMap<string, KeptEvent>;
}

interface KeptEvent extends WaitingEvent {
  dueAt: number | null;
  repeats: number;
  outcome: string | null;
}

export interface MemoryLog extends WebhookLog {
  /** What is in it; nothing in it is ever changed, so that it can be put back. */
  memory: Memory;
}

export function createMemoryLog(start: Memory, deliveryId: string): MemoryLog {
  const log: MemoryLog = {
    memory: start,
    async together(work) {
      const before = log.memory;
      try {
        return await work(page);
      } catch (error) {
        log.memory = before;
        throw error;
      }
    },
    waiting: async (now, limit) =>
      [...log.memory.events.values()].filter(({ dueAt }) => dueAt !== null && dueAt <= now).slice(0, limit),
    blank: async () => 0,
  };

  const delivery = {
    ...{
      seq: 1,
      id: deliveryId,
      source: 'plain',
      occasion: 'o',
      recipient: 'r',
      toEmail: null,
      traceId: null,
    },
  };
  const known = () => {
    const { state, earlierIds } = log.memory;
    const messageIds = new Map(earlierIds);
    if (state.providerMessageId !== null) messageIds.set(Math.max(state.round, 1), state.providerMessageId);
    return { ...delivery, createdAt: startAt, round: state.round, messageIds };
  };

  const change = (id: string, changes: Partial<KeptEvent>) => {
    const event = log.memory.events.get(id);
    if (!event) throw new Error(`no event ${id}`);
    log.memory = { ...log.memory, events: new Map(log.memory.events).set(id, { ...event, ...changes }) };
  };
  const idOf = (eventSeq: number) => [...log.memory.events.keys()][eventSeq] ?? '';

  const page: WebhookPage = {
    async keep({ id, provider, receivedAt, dueAt, payload }) {
      const { events } = log.memory;
      const here = events.get(id);
      if (here) {
        change(id, { repeats: here.repeats + 1 });
        return undefined;
      }
      const eventSeq = events.size;
      const event = { eventSeq, provider, receivedAt, dueAt, payload, tries: 0, repeats: 0, outcome: null };
      log.memory = { ...log.memory, events: new Map(events).set(id, event) };
      return eventSeq;
    },
    async take({ eventSeq, tries }, _now, dueAt) {
      change(idOf(eventSeq), { tries: tries + 1, dueAt });
      return true;
    },
    deliveryById: async (id) => (id === deliveryId ? known() : undefined),
    async deliveryByMessageId(messageId) {
      const found = known();
      return [...found.messageIds.values()].includes(messageId) ? found : undefined;
    },
    async record(report) {
      const { state: before, facts, earlierIds } = log.memory;
      const evidence = report as EvidenceReport;
      const result = applyEvidence(before, evidence);
      const after = result.changed ? result.state : before;
      const ids = new Map(earlierIds);
      const keep = (round: number, id: string | null | undefined) => {
        if (id && !ids.has(round)) ids.set(round, id);
      };
      if (evidence.round < before.round) keep(evidence.round, evidence.messageId);
      if (after.round > before.round) keep(before.round, before.providerMessageId);
      const told = factsOf({ ...delivery, state: before }, after, evidence).map(({ kind }) => kind);
      log.memory = { ...log.memory, state: after, earlierIds: ids, facts: [...facts, ...told] };
      const answer = { seq: 1, status: after.status, lease: after.lease };
      return result.changed ? { ...answer, changed: true } : { ...answer, changed: false, why: result.why };
    },
    mark: async (eventSeq, { outcome }) => change(idOf(eventSeq), { outcome, dueAt: null }),
  };
  return log;
}
