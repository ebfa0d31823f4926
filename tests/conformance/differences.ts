import type { QuestionName } from './questions.ts';

/**
 * Where the two Resends disagree, and which of them is like the real one by what its makers have published. A difference that
 * vanishes fails a test, and so does one that is not here: whoever reads this knows all of them.
 */
export interface Difference {
  fake: unknown;
  emulate: unknown;
  right: 'fake' | 'emulate' | 'unpublished';
  because: string;
}

const missing = {
  fake: '422 missing_required_field',
  emulate: '422 validation_error',
  right: 'fake',
  because: 'a field that is not there has a name of its own among the published errors',
} as const;
const unchecked = { fake: '422 validation_error', emulate: 'accepted', right: 'fake' } as const;

export const differences: Readonly<Partial<Record<QuestionName, Difference>>> = {
  'the same key with the fields of the body in another order': {
    fake: '409 invalid_idempotent_request',
    emulate: '200 accepted',
    right: 'unpublished',
    because: 'ours compares bytes, which is the stricter: whoever repeats bytes is right by both',
  },
  'the same key in another account is another mail': {
    fake: true,
    emulate: false,
    right: 'fake',
    because: 'keys belong to a team; emulate has no accounts',
  },
  'no sender': missing,
  'no recipient': missing,
  'no subject': missing,
  'neither html nor text': {
    ...missing,
    emulate: 'accepted',
    because: 'a mail has one of them at least; emulate does not look',
  },
  'a recipient that is no address': { ...unchecked, because: 'emulate does not look at addresses' },
  'a line break in a header': { ...unchecked, because: 'emulate does not look at headers' },
  'a tag with a space': { ...unchecked, because: 'tags are letters, digits, _ and -' },
  '76 tags': { ...unchecked, because: 'there may be 75' },
  'a body that is no JSON': {
    fake: '400 validation_error',
    emulate: '422 validation_error',
    right: 'unpublished',
    because: 'emulate reads it as an empty mail; to us both are a refusal for good',
  },
  'no API key': {
    fake: '401 missing_api_key',
    emulate: '200 accepted',
    right: 'fake',
    because: 'emulate lets everybody in',
  },
  'an API key of nobody': {
    fake: '403 invalid_api_key',
    emulate: 'accepted',
    right: 'fake',
    because: 'emulate lets everybody in',
  },
  'what else is told of a mail': {
    fake: { bcc: null, cc: null, headers: undefined, status: undefined, last_event: 'sent' },
    emulate: {
      ...{ bcc: [], cc: [], headers: { 'List-Unsubscribe': '<https://example.org/u/1>' } },
      ...{ status: 'delivered', last_event: 'email.delivered' },
    },
    right: 'fake',
    because: 'the published examples have null for nobody, and a last event without its prefix',
  },
  'how the time of a mail is written': {
    fake: '9999-99-99T99:99:99.999999+99:99',
    emulate: '9999-99-99T99:99:99.999Z',
    right: 'fake',
    because: 'the published examples have microseconds and an offset; our client reads both',
  },
  'the list of mails': {
    fake: { object: 'list', has_more: true, isOfTwo: true, isNewestFirst: true, hasBodies: false },
    emulate: { object: 'list', has_more: undefined, isOfTwo: false, isNewestFirst: false, hasBodies: true },
    right: 'fake',
    because: 'lists have pages, newest first and without bodies; emulate gives all it has',
  },
  'the log of requests': { fake: 200, emulate: 404, right: 'fake', because: 'emulate keeps no log' },
  'a path that is nowhere': {
    fake: '404 not_found',
    emulate: '404 without a name',
    right: 'fake',
    because: 'every published error has a name',
  },
  'a batch': {
    fake: 405,
    emulate: 200,
    right: 'emulate',
    because: 'the real one takes batches; we never send any, and ours says so at once',
  },
  'in which headers the rate is told': {
    fake: ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'],
    emulate: ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'x-ratelimit-resource'],
    right: 'fake',
    because: 'the published names have no x-; emulate answers as GitHub does',
  },
  'our client: a mail is found by its key alone': {
    fake: 'found',
    emulate: 'unknown',
    right: 'fake',
    because: 'it is looked for in the log, which emulate does not keep: then nobody knows, and we say so',
  },
  'our client: the rate that it learns': {
    fake: 1000,
    emulate: null,
    right: 'fake',
    because: 'by the names of the headers',
  },
  'our client: an API key of nobody is the trouble of the account': {
    fake: 'unauthorised',
    emulate: 'accepted',
    right: 'fake',
    because: 'emulate lets everybody in',
  },
};
