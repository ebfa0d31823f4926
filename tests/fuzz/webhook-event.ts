import fc from 'fast-check';
import { knownTypes } from '../../src/webhooks/resend-event.ts';

/** Events as Resend words them, and what becomes of them when somebody spoils a field, a key or a byte. */
export interface Mail {
  messageId: string | null;
  to: string;
  tags: Readonly<Record<string, string>>;
}

type Fields = Record<string, unknown>;

function wholeEvent(type: string, { messageId, to, tags }: Mail, at: number): Fields {
  const time = new Date(at).toISOString();
  return {
    type,
    created_at: time,
    data: {
      ...{ created_at: time, email_id: messageId, from: 'Tidings <noreply@example.org>', to: [to] },
      ...{ subject: 'Subject s3cret', tags, broadcast_id: null, headers: [{ name: 'X', value: 'y' }] },
      bounce: { type: 'Permanent', subType: 'General', message: `no such mailbox ${to}` },
      failed: { reason: 'reached_daily_quota' },
      suppressed: { type: 'OnAccountSuppressionList', message: `${to} is on the list` },
      click: { ipAddress: '192.0.2.1', link: 'https://example.org', timestamp: time },
      reason: `said by ${to}`,
    },
  };
}

/** As JSON text, for there are values that no serialiser writes. */
const strangeValues: readonly string[] = [
  ...[
    'null',
    'true',
    'false',
    '0',
    '-0',
    '1e999',
    '-1',
    '9007199254740993',
    '[]',
    '{}',
    '""',
    '[[]]',
    '[null]',
  ],
  ...[
    '"\\u0000"',
    '"a\\u0000b"',
    '"\\ud800"',
    '"\\udfff\\ud83d"',
    '"\\u2028"',
    '"\\r\\nX-Evil: 1"',
    '"\\u001b[31m"',
  ],
  ...[
    '"person-s3cret@example.org"',
    '["a-s3cret@example.org","b-s3cret@example.org"]',
    '{"length":1,"0":"x"}',
  ],
  ...['{"__proto__":{"type":"x"}}', '{"constructor":{"prototype":{"a":1}}}', '{"toString":null,"valueOf":1}'],
  ...['"email.complained"', '"Permanent"', '"permanent"', '"9999-99-99T99:99:99Z"', '"2026-01-01 00:00:00"'],
  ...['"1"', '"0"', '"999"', '"1000"', '"1e2"', '"constructor"', '"__proto__"', '"another"'],
  `"${'x'.repeat(20_000)}"`,
  `${'['.repeat(3_000)}${']'.repeat(3_000)}`,
  `${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`,
  `[${'{"name":"delivery_id","value":"x"},'.repeat(300)}null]`,
];

/** What a database does not store, or not in a column of this size. */
const unstorable: readonly string[] = [
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\ud800"',
  '"x\\udfff"',
  `"${'x'.repeat(20_000)}"`,
];

/** What is read of an event, besides whatever else is in it. */
const readPlaces = [
  ...[
    'type',
    'created_at',
    'data',
    'data.email_id',
    'data.to',
    'data.to.0',
    'data.tags',
    'data.bounce',
    'data.reason',
  ],
  ...['data.tags.delivery_id', 'data.tags.round', 'data.tags.env', 'data.bounce.type', 'data.bounce.subType'],
  ...['data.failed', 'data.failed.reason', 'data.suppressed', 'data.suppressed.message'],
] as const;
const place = fc.oneof(fc.constantFrom(...readPlaces), fc.nat());

type Place = number | (typeof readPlaces)[number];
type Spoil =
  | { kind: 'value'; place: Place; raw: string }
  | { kind: 'left out'; place: Place }
  | { kind: 'twice'; place: Place; raw: string; isFirst: boolean }
  | { kind: 'cut'; share: number }
  | { kind: 'put in'; share: number; text: string };

const raw = fc.oneof(
  fc.constantFrom(...strangeValues),
  fc.constantFrom(...unstorable),
  fc.json({ maxDepth: 2 }),
);
const share = fc.double({ min: 0, max: 1, noNaN: true });
const spoils: fc.Arbitrary<Spoil> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('value' as const), place, raw }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('left out' as const), place }) },
  {
    ...{ weight: 2 },
    arbitrary: fc.record({
      kind: fc.constant('twice' as const),
      place,
      raw,
      isFirst: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cut' as const), share }) },
  {
    weight: 1,
    arbitrary: fc.record({
      ...{ kind: fc.constant('put in' as const), share },
      text: fc.oneof(fc.constantFrom('\0', '"', '}', ',', '\ufeff', '\\'), fc.string({ maxLength: 3 })),
    }),
  },
);

export interface SpoiltEvent {
  type: string;
  spoils: readonly Spoil[];
}

export const spoiltEvents: fc.Arbitrary<SpoiltEvent> = fc.record({
  type: fc.constantFrom(...knownTypes, 'email.something_new'),
  spoils: fc.array(spoils, { maxLength: 3 }),
});

/** Names of an object's fields, its fields' fields, and so on; the event itself is none. */
function placesIn(value: unknown, above: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const path = [...above, name];
    return [path, ...placesIn(inner, path)];
  });
}

/** Undefined where another spoil has taken it away. */
function pathTo(place: Place, event: Fields): string[] | undefined {
  const places = placesIn(event);
  if (typeof place === 'number') return places[place % places.length];
  return places.find((path) => path.join('.') === place);
}

const mark = (number: number) => `<the place ${number}>`;

export function spoiltText({ type, spoils: all }: SpoiltEvent, mail: Mail, at: number): string {
  const event = wholeEvent(type, mail, at);
  const raws: { place: string; text: string }[] = [];
  for (const [number, spoil] of all.entries()) {
    if (!('place' in spoil)) continue;
    const path = pathTo(spoil.place, event);
    if (!path) continue;
    const name = path.at(-1) ?? '';
    const owner = path.slice(0, -1).reduce((value, part) => value[part] as Fields, event);
    if (spoil.kind === 'left out') delete owner[name];
    if (spoil.kind === 'left out') continue;
    const written = JSON.stringify(owner[name] ?? null);
    const twice = spoil.kind === 'twice' && !Array.isArray(owner);
    const [first, second] = twice && spoil.isFirst ? [spoil.raw, written] : [written, spoil.raw];
    raws.push({
      place: JSON.stringify(mark(number)),
      text: twice ? `${first},${JSON.stringify(name)}:${second}` : spoil.raw,
    });
    owner[name] = mark(number);
  }
  let text = JSON.stringify(event);
  // The last first: an earlier mark may stand in the words of a later one.
  for (const { place, text: put } of raws.reverse()) text = text.replace(place, () => put);
  for (const spoil of all) {
    if (spoil.kind === 'cut') text = text.slice(0, Math.floor(text.length * spoil.share));
    if (spoil.kind !== 'put in') continue;
    const place = Math.floor(text.length * spoil.share);
    text = text.slice(0, place) + spoil.text + text.slice(place);
  }
  return text.toWellFormed();
}
