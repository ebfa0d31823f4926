/** What a provider gone mad would send, or whoever has stolen its secret. Each is kept and answered; none breaks anything. */
export const oddBodies: readonly (readonly [name: string, body: string])[] = [
  ['no JSON', 's3cret, no JSON'],
  ['a NUL', '{"type":"email.sent\0"}'],
  ['a list', '[{"type":"email.sent"}]'],
  ['nesting without end', `{"type":"email.sent","data":${'['.repeat(60_000)}${']'.repeat(60_000)}}`],
  ['an opening without end', '['.repeat(200_000)],
  ['keys of the prototype', '{"type":"email.sent","__proto__":{"a":1},"constructor":{"prototype":{"a":1}}}'],
  ['escaped NUL and half a character', '{"type":"\\u0000\\ud800","data":{"email_id":"\\u0000\\udfff"}}'],
  ['numbers that are none', '{"type":"email.sent","created_at":1e999,"data":{"email_id":-0,"tags":[1e999]}}'],
  [
    'tags by the thousand',
    `{"type":"email.sent","data":{"tags":[${'{"name":"x","value":"y"},'.repeat(5_000)}null]}}`,
  ],
  ['a type of a megabyte, nearly', `{"type":"${'x'.repeat(250_000)}"}`],
  ['a line break in its type', '{"type":"email.sent\\n{\\"level\\":\\"error\\"}","data":{}}'],
];
