import { idempotencyKey, requiredTags } from '../../src/domain/message.ts';
import { mailTo } from '../support/mails.ts';

/** The delivery that the tests of the providers hand over. */
export const id = '2ed6657d-e927-568b-95e1-2665a8aea6a2';

/** Its mail, for which there is all the time in the world. */
export const parcel = {
  key: id,
  mail: mailTo(1, { tags: requiredTags(id, 1, 'test') }),
  startBefore: Infinity,
  leaseEndsAt: Infinity,
};

export const ofRound = (round: number) => ({
  ...{ ...parcel, key: idempotencyKey(id, round) },
  mail: mailTo(1, { tags: requiredTags(id, round, 'test') }),
});
