import pg from 'pg';

/**
 * The durable record that everybody on PostgreSQL writes beside the queue: the status row, and with `everything` a row of the story
 * and the body as it was sent. One statement and so one commit, for one mail or for many; prepared, as PostgreSQL likes it best.
 * No index but the primary keys, no checks: less than the engine keeps.
 */
export function createRecord({ databaseUrl, work, rows, poolSize }) {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: poolSize });
  const isAll = work === 'everything';

  return {
    pool,

    async make() {
      await pool.query(`
        CREATE TABLE mails (id BIGINT PRIMARY KEY, status TEXT NOT NULL, provider_message_id TEXT, sent_at TIMESTAMPTZ);
        CREATE TABLE mail_events (
          seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, mail_id BIGINT NOT NULL, at TIMESTAMPTZ NOT NULL DEFAULT now(),
          event TEXT NOT NULL, status TEXT NOT NULL);
        CREATE TABLE mail_bodies (mail_id BIGINT PRIMARY KEY, body TEXT NOT NULL);`);
    },

    /** The rows of a round, which wait: of round 2 those from 2 × rows on. Resolves to the ids. */
    async fill(round) {
      await pool.query(
        `INSERT INTO mails (id, status) SELECT n, 'pending' FROM generate_series($1::bigint, $2::bigint) AS n`,
        [round * rows, (round + 1) * rows - 1],
      );
      await pool.query('ANALYZE mails');
      return Array.from({ length: rows }, (_, index) => round * rows + index);
    },

    /** As text and values, because some peers have a pool of their own that a task is meant to use. */
    one({ id, messageId, body }) {
      const text = isAll ? everythingOfOne : statusOfOne;
      return { name: `record-${work}`, text, values: isAll ? [id, messageId, body] : [id, messageId] };
    },

    async many(mails) {
      const ids = mails.map(({ id }) => id);
      const messageIds = mails.map(({ messageId }) => messageId);
      const bodies = isAll ? [mails.map(({ body }) => body)] : [];
      const text = isAll ? everythingOfMany : statusOfMany;
      await pool.query({ name: `record-many-${work}`, text, values: [ids, messageIds, ...bodies] });
    },

    async count() {
      const { rows: counted } = await pool.query(`SELECT
        (SELECT count(*)::int FROM mails WHERE status = 'sent') AS sent,
        (SELECT count(*)::int FROM mail_events) AS events, (SELECT count(*)::int FROM mail_bodies) AS bodies`);
      const { sent, events, bodies } = counted[0];
      return { sent, events: isAll ? events : null, bodies: isAll ? bodies : null };
    },

    close: () => pool.end(),
  };
}

const statusOfOne = `UPDATE mails SET status = 'sent', provider_message_id = $2, sent_at = now() WHERE id = $1`;

const everythingOfOne = `
  WITH sent AS (UPDATE mails SET status = 'sent', provider_message_id = $2, sent_at = now() WHERE id = $1),
    told AS (INSERT INTO mail_events (mail_id, event, status) VALUES ($1, 'accepted', 'sent'))
  INSERT INTO mail_bodies (mail_id, body) VALUES ($1, $3)`;

const statusOfMany = `
  UPDATE mails SET status = 'sent', provider_message_id = given.message_id, sent_at = now()
  FROM unnest($1::bigint[], $2::text[]) AS given (id, message_id) WHERE mails.id = given.id`;

const everythingOfMany = `
  WITH given AS (SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[]) AS given (id, message_id, body)),
    sent AS (UPDATE mails SET status = 'sent', provider_message_id = given.message_id, sent_at = now() FROM given WHERE mails.id = given.id),
    told AS (INSERT INTO mail_events (mail_id, event, status) SELECT id, 'accepted', 'sent' FROM given)
  INSERT INTO mail_bodies (mail_id, body) SELECT id, body FROM given`;
