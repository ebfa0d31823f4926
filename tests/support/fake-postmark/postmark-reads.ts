import type { Clock } from '../../../src/std/clock.ts';
import type { SeenRequest } from '../lies.ts';
import type { Circumstances } from './fake-postmark.ts';
import { errorAnswer, type PostmarkAnswer } from './postmark-answers.ts';
import { type AcceptedMail, easternTime, type PostmarkLedger } from './postmark-ledger.ts';

export interface ReadsParts {
  clock: Clock;
  ledger: PostmarkLedger;
  circumstances: Circumstances;
}

/** Streams, the search of mails and the details of one. The search lags behind; who has an id need not wait. */
export function createReads({ clock, ledger, circumstances }: ReadsParts) {
  function search(query: URLSearchParams): PostmarkAnswer {
    const count = Number(query.get('count') ?? Number.NaN);
    const offset = Number(query.get('offset') ?? Number.NaN);
    if (!(count >= 1 && count <= 500 && offset >= 0 && count + offset <= 10_000)) {
      return errorAnswer(422, 600, 'You need to specify valid count and offset values.');
    }
    const stream = query.get('messagestream') ?? 'outbound';
    const wanted = [...query].filter(([name]) => circumstances.isFiltering && name.startsWith('metadata_'));
    const until = clock.now() - circumstances.indexingDelayMs;
    const found = ledger.accepted
      .filter(({ at, body }) => at <= until && (body.MessageStream ?? 'outbound') === stream)
      .filter(({ body }) => wanted.every(([name, value]) => body.Metadata?.[name.slice(9)] === value))
      .toReversed();
    const page = found.slice(offset, offset + count);
    return { status: 200, body: { TotalCount: found.length, Messages: page.map(listed) } };
  }

  return function read({ path, query }: SeenRequest): PostmarkAnswer {
    const [, collection, second, third] = path.split('/');
    if (collection === 'message-streams' && second !== undefined && third === undefined) {
      const stream = circumstances.streams.find(({ ID }) => ID === second);
      return stream
        ? { status: 200, body: stream }
        : errorAnswer(422, 1226, 'The message stream was not found.');
    }
    if (path === '/messages/outbound') return search(query);
    const id = /^\/messages\/outbound\/([^/]+)\/details$/.exec(path)?.[1];
    const mail = ledger.accepted.find((one) => one.id === id);
    if (mail) return { status: 200, body: { ...listed(mail), MessageEvents: mail.events } };
    return id ? errorAnswer(422, 701, 'This message was not found.') : errorAnswer(404, 0, 'Not found.');
  };
}

function listed({ id, at, body }: AcceptedMail): object {
  return {
    ...{ MessageID: id, MessageStream: body.MessageStream ?? 'outbound', Tag: null, Status: 'Sent' },
    ...{
      To: [{ Email: body.To, Name: null }],
      Recipients: [body.To],
      From: body.From,
      Subject: body.Subject,
    },
    ...{ ReceivedAt: easternTime(at), Metadata: body.Metadata ?? {}, TrackOpens: false, TrackLinks: 'None' },
  };
}
