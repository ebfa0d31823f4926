import type { Outbox } from './outbox.ts';
import type { Trail } from './trail.ts';

/**
 * The outbox as it is, and the path of each delivery told besides. Put around it only where somebody follows, so that it costs nothing
 * where nobody does.
 */
export function followedOutbox(outbox: Outbox, trail: Trail): Outbox {
  return {
    ...outbox,
    async enqueue(intents, tx) {
      const since = trail.start();
      const answers = await outbox.enqueue(intents, tx);
      // In a caller's own transaction this is a little early: if it is undone and tried again, the intent is told of twice.
      answers.forEach(({ id, isNew }, index) => {
        const intent = intents[index];
        if (isNew && intent) trail.intended({ id, traceId: intent.traceId }, intent, since);
      });
      return answers;
    },
    async claim(order) {
      const since = trail.start();
      const claimed = await outbox.claim(order);
      for (const each of claimed) trail.claimed(each, claimed.length, since);
      return claimed;
    },
    async record(reports, tx) {
      const since = trail.start();
      const answers = await outbox.record(reports, tx);
      // Within a transaction of a source or a webhook it is a part of what they do, and not for itself.
      if (tx) return answers;
      reports.forEach((report, index) => {
        const { id, traceId, event, error } = report;
        if (id === undefined) return;
        const lease = 'lease' in report ? report.lease : undefined;
        const { changed: isChanged = false, status = null } = answers[index] ?? {};
        trail.recorded({ id, traceId, lease }, { event, isChanged, status, code: error?.code }, since);
      });
      return answers;
    },
  };
}
