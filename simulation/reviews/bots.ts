import type { SubmitRequest } from '../../src/sources/code-reviews/jobs/submission.ts';
import type { Chance } from '../chance.ts';

/** Review bots: what they have to say of which version of a change, to whom. No two of their reviews read the same. */
export interface Bots {
  /** Every request that was ever made, in order; the same one may be made many times. */
  readonly requests: Request[];
  /** A review of this version, under a key that nobody has used. */
  write(changelistId: string, version: number, more?: Partial<SubmitRequest>): Request;
  /** The same with something else in it, which is told from the first by its title at least. */
  vary(request: Request, more: Partial<SubmitRequest>): Request;
  recipients(): Recipient[];
}

export interface Request {
  body: SubmitRequest;
  by: string;
  traceId: string;
  /** Places of addresses that are none; undefined where the whole list has nobody who must hear. */
  badPlaces: readonly number[];
  isBad: boolean;
  /** Somebody heard what became of it. */
  isAnswered: boolean;
}

type Recipient = { email: string; required?: boolean };

/** Of some the name ends as an occasion does. */
export const changelists = ['cl', 'cl:9', 'main/7'];
const reviewers = ['ana', 'bob', 'cem', 'dora', 'eve'];
const spellings: readonly ((name: string) => string)[] = [
  (name) => `${name}@example.org`,
  (name) => `${name}@example.org`,
  (name) => `${name.toUpperCase()}@example.org`,
  (name) => `${name}@Example.ORG`,
];
const badAddresses = ['nobody', 'two@at@example.org', 'with space@example.org'];
const findingsOfAll = 7;
const severities = ['critical', 'major', 'minor', 'info'] as const;

export function createBots(chance: Chance): Bots {
  const requests: Request[] = [];
  let written = 0;

  const spelt = (name: string) => chance.one(spellings)(name);

  function recipients(): Recipient[] {
    const some = reviewers.filter(() => chance.isTrue(0.45));
    const names = some.length > 0 ? some : [chance.one(reviewers)];
    const [insisted = '', ...others] = names;
    const list: Recipient[] = [{ email: spelt(insisted), ...(chance.isTrue(0.5) && { required: true }) }];
    for (const name of others) list.push({ email: spelt(name), required: chance.isTrue(0.6) });
    // Somebody who is asked for twice, by whom it is not known that it is one.
    if (chance.isTrue(0.4)) list.push({ email: spelt(chance.one(names)), required: chance.isTrue(0.5) });
    return chance.isTrue(0.5) ? list : list.toReversed();
  }

  /** Some stay from version to version, some go, some are new; their lines move. */
  function findings(changelistId: string): NonNullable<SubmitRequest['findings']> {
    return Array.from({ length: findingsOfAll }, (_, index) => index)
      .filter(() => chance.isTrue(0.4))
      .map((index) => ({
        severity: severities[index % severities.length] as (typeof severities)[number],
        message: `Finding ${index} of ${changelistId}`,
        ...(index % 3 > 0 && { file: `src/${index}.ts`, line: chance.between(1, 99) }),
      }));
  }

  function keep(body: SubmitRequest, by: string): Request {
    const places = body.recipients.flatMap(({ email }, place) =>
      badAddresses.includes(email) ? [place] : [],
    );
    const isNobodyRequired = body.recipients.every(({ required = true }) => !required);
    const request = {
      ...{ body, by, traceId: `trace-${requests.length + 1}`, badPlaces: places },
      ...{ isBad: places.length > 0 || isNobodyRequired, isAnswered: false },
    };
    requests.push(request);
    return request;
  }

  const titleOf = (changelistId: string, version: number) =>
    `Review ${++written} of ${changelistId}, version ${version}`;

  return {
    requests,
    recipients,
    write(changelistId, version, more = {}) {
      const body: SubmitRequest = {
        ...{ idempotency_key: `key-${requests.length + 1}`, changelist_id: changelistId },
        ...{ review_version: version, recipients: recipients(), title: titleOf(changelistId, version) },
        ...(chance.isTrue(0.5) && { url: `https://review.example.org/${version}` }),
        ...(chance.isTrue(0.5) && { summary: `It is version ${version}.` }),
        ...(chance.isTrue(0.8) && { findings: findings(changelistId) }),
        ...(chance.isTrue(0.3) && { locale: chance.one(['en', 'ro']) }),
        ...more,
      };
      return keep(body, `bot${chance.between(1, 3)}`);
    },
    vary({ body, by }, more) {
      const varied = { ...body, ...more };
      return keep({ ...varied, title: titleOf(varied.changelist_id, varied.review_version) }, by);
    },
  };
}

/** Nobody's address among the others, or nobody who must hear. */
export function spoilt(chance: Chance, recipients: readonly Recipient[]): Recipient[] {
  if (chance.isTrue(0.3)) return recipients.map(({ email }) => ({ email, required: false }));
  return [...recipients, { email: chance.one(badAddresses) }];
}
