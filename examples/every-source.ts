// One call to each source of a Tidings that runs on this machine (`npm start`), with what it answered:
//   node every-source.js
import { createTidingsClient, TidingsError } from 'tidings/client';

const tidings = createTidingsClient({
  baseUrl: process.env.TIDINGS_URL ?? 'http://127.0.0.1:3000',
  apiKey: process.env.TIDINGS_API_KEY,
});
const day = new Date().toISOString().slice(0, 10);

// A mail of your own words. The occasion says what it is about: asking again makes no second one.
const mail = {
  occasion: `report-${day}`,
  to: 'ana@example.org',
  variables: { subject: 'Your report', text: 'It is ready.' },
};
const first = await tidings.intents.send(mail);
const second = await tidings.intents.send(mail);
console.log(`intents: delivery ${first.seq} is new: ${first.isNew}; asked again: ${second.isNew}`);

// A seat: the first section that a search finds.
const [course] = await tidings.seats.search({ q: process.env.COURSE ?? '198:111', limit: 1 });
const section = course?.sections[0];
if (section) {
  const { term, index } = section;
  const watch = await tidings.seats.watch({ term, index, campus: 'NB', email: 'ana@example.org' });
  console.log(`seats: the watch of ${index} is ${watch.status}; it was there: ${watch.existing}`);
}

// A newsletter, for one of your users.
const { kind, notification } = await tidings.notifications.subscribe({
  userId: 'ana',
  notificationType: 'newsletter_entity_yearly',
  entityCui: '4305857',
  locale: 'ro',
});
console.log(`notifications: ${notification.notificationType} is ${kind}`);

// The result of a review. Whoever is required hears of this version once.
const result = {
  idempotency_key: `example-${day}`,
  changelist_id: `example-${day}`,
  review_version: 2,
  recipients: [{ email: 'ana@example.org' }, { email: 'bob@example.org', required: false }],
  title: 'Retry only what is safe to repeat',
  findings: [{ severity: 'minor', message: 'A number without its reason', file: 'src/call.ts', line: 12 }],
} as const;
const { answer, job } = await tidings.reviews.submit(result);
console.log(`reviews: ${answer}, for ${job.recipients.length} recipients`);
console.log(`reviews: asked again, ${(await tidings.reviews.submit(result)).answer}`);

// What is refused is an error with a code, and a sentence that says what to do.
try {
  await tidings.reviews.submit({ ...result, idempotency_key: `example-old-${day}`, review_version: 1 });
} catch (error) {
  if (!(error instanceof TidingsError)) throw error;
  console.log(`reviews: ${error.status} ${error.code}`);
}
