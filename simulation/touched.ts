/**
 * Which deliveries were touched, noted by triggers, so that the watch need not read all of them after every commit. What is rolled back
 * takes its notes with it. The triggers are of the connection alone: the database has no table and no trigger more than it should.
 */
const numbered: Readonly<Record<string, string>> = {
  deliveries: 'seq',
  delivery_mails: 'delivery_seq',
  delivery_events: 'delivery_seq',
};

/** Where somebody says no, and by which columns: whose deliveries those are, only the question of the watch knows. */
const refusing: Readonly<Record<string, string>> = {
  suppressions: '',
  notification_opt_outs: '',
  unsubscribe_tokens: 'OF token_id, source, recipient, unsubscribed_at',
  subscriptions: 'OF subscription_id, status',
  notifications: 'OF id, user_id, inactive_because',
};

const events = [
  ['INSERT', 'NEW'],
  ['UPDATE', 'NEW'],
  ['DELETE', 'OLD'],
] as const;

/** A note without a number is about all deliveries. */
function noteOf(table: string, event: string, columns: string, seq: string): string {
  return `CREATE TEMP TRIGGER note_${event}_${table} AFTER ${event} ${columns} ON ${table} BEGIN
    INSERT INTO touched (seq) VALUES (${seq});
  END;`;
}

export const notes = [
  'CREATE TEMP TABLE touched (place INTEGER PRIMARY KEY, seq INTEGER);',
  ...Object.entries(numbered).flatMap(([table, column]) =>
    events.map(([event, row]) => noteOf(table, event, '', `${row}.${column}`)),
  ),
  ...Object.entries(refusing).flatMap(([table, columns]) =>
    events.map(([event]) => noteOf(table, event, event === 'UPDATE' ? columns : '', 'NULL')),
  ),
].join('\n');
