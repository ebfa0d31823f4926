import { readFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { better, defineQueue, defineWorker } from 'plainjob';
import { createCounter } from './counter.mjs';
import { createPost } from './post.mjs';

const quiet = { error() {}, warn() {}, info() {}, debug() {} };
const pending = 0;
const processing = 1;
const failed = 3;

/**
 * A worker of it does one job at a time: 64 of them in one process, on one connection as its documentation has it.
 * - NORMAL: what it sets by itself. A power cut may take back what was committed, and with it the knowledge that a mail has left.
 * - FULL: every commit is on the disk, as with the engine.
 */
export async function createContender(order) {
  const { databaseUrl, setting, rows, connections, mailsFile, work } = order;
  const mails = JSON.parse(readFileSync(mailsFile, 'utf8'));
  const db = new Database(databaseUrl.replace(/^sqlite:/, ''));
  const queue = defineQueue({ connection: better(db), logger: quiet });
  if (setting === 'FULL') db.pragma('synchronous = FULL');
  const wanted = setting === 'FULL' ? 2 : 1;
  if (db.pragma('synchronous', { simple: true }) !== wanted)
    throw new Error('it is not as durable as is said');
  db.exec(`
    CREATE TABLE mails (id INTEGER PRIMARY KEY, status TEXT NOT NULL, provider_message_id TEXT, sent_at INTEGER);
    CREATE TABLE mail_events (
      seq INTEGER PRIMARY KEY, mail_id INTEGER NOT NULL, at INTEGER NOT NULL, event TEXT NOT NULL, status TEXT NOT NULL);
    CREATE TABLE mail_bodies (mail_id INTEGER PRIMARY KEY, body TEXT NOT NULL);`);
  const insert = db.prepare(`INSERT INTO mails (id, status) VALUES (?, 'pending')`);
  const update = db.prepare(
    `UPDATE mails SET status = 'sent', provider_message_id = ?, sent_at = ? WHERE id = ?`,
  );
  const tell = db.prepare(
    `INSERT INTO mail_events (mail_id, at, event, status) VALUES (?, ?, 'accepted', 'sent')`,
  );
  const keep = db.prepare('INSERT INTO mail_bodies (mail_id, body) VALUES (?, ?)');
  const recordAll = db.transaction((id, messageId, body) => {
    update.run(messageId, Date.now(), id);
    tell.run(id, Date.now());
    keep.run(id, body);
  });
  const isAll = work === 'everything';
  const { post, close: closePost } = createPost(order);
  let stopped = Promise.resolve();

  async function send({ data }) {
    const { id } = JSON.parse(data);
    const mail = mails[id % rows];
    const messageId = await post(mail);
    if (isAll) recordAll(id, messageId, mail.body);
    else update.run(messageId, Date.now(), id);
  }

  return {
    async fill(round) {
      const ids = Array.from({ length: rows }, (_, index) => round * rows + index);
      db.transaction(() => {
        for (const id of ids) insert.run(id);
      })();
      queue.addMany(
        'send',
        ids.map((id) => ({ id })),
      );
    },
    async run() {
      const counter = createCounter(rows);
      const options = {
        queue,
        logger: quiet,
        onCompleted: () => counter.add(),
        onFailed: (_, error) => counter.fail(error),
      };
      const workers = Array.from({ length: connections }, () => defineWorker('send', send, options));
      const started = workers.map((worker) => worker.start());
      await counter.all;
      for (const worker of workers) void worker.stop();
      stopped = Promise.all(started);
    },
    async check() {
      await stopped;
      const count = (text) => db.prepare(text).pluck().get();
      const left = [pending, processing, failed].reduce(
        (sum, status) => sum + queue.countJobs({ status }),
        0,
      );
      return {
        sent: count(`SELECT count(*) FROM mails WHERE status = 'sent'`),
        events: isAll ? count('SELECT count(*) FROM mail_events') : null,
        bodies: isAll ? count('SELECT count(*) FROM mail_bodies') : null,
        left,
      };
    },
    async close() {
      queue.close();
      await closePost();
    },
  };
}
