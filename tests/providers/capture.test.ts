import { afterEach, beforeEach, expect, it } from 'vitest';
import { readInbox } from '../../src/inbox/inbox.ts';
import { createCapture } from '../../src/providers/capture.ts';
import type { Provider } from '../../src/providers/provider.ts';
import { systemIds } from '../../src/std/ids.ts';
import { mailTo } from '../support/mails.ts';
import { createWorld, onBothDatabases, type World } from '../support/world.ts';

const parcel = (key: string, number: number) => ({
  key,
  mail: mailTo(number),
  startBefore: Infinity,
  leaseEndsAt: Infinity,
});

onBothDatabases('the built-in inbox', (dialect) => {
  let world: World;
  let capture: Provider;
  beforeEach(async () => {
    world = await createWorld(dialect);
    capture = createCapture({ db: world.db, clock: world.clock, ids: systemIds });
  });
  afterEach(() => world.close());

  it('keeps what it accepts, whole, newest first', async () => {
    await capture.send(parcel('a', 1));
    await capture.send({ ...parcel('b', 2), mail: mailTo(2, { subject: 'Grüße 🙂' }) });
    const inbox = await readInbox(world.db, { limit: 10 });
    expect(inbox.mails.map(({ mail }) => mail)).toEqual([mailTo(2, { subject: 'Grüße 🙂' }), mailTo(1)]);
    expect((await readInbox(world.db, { limit: 1 })).mails).toHaveLength(1);
  });

  it('002-P11-04 Same key and same mail: the same answer, and no second mail', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => capture.send(parcel('a', 1))));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject({ kind: 'accepted' });
    expect((await readInbox(world.db, { limit: 10 })).mails).toHaveLength(1);
  });

  it('same key, other mail: a conflict, never a second mail', async () => {
    await capture.send(parcel('a', 1));
    expect(await capture.send(parcel('a', 2))).toMatchObject({ kind: 'key_conflict' });
    expect((await readInbox(world.db, { limit: 10 })).mails).toHaveLength(1);
  });

  it('is looked up by key, completely', async () => {
    const sent = await capture.send(parcel('a', 1));
    const reference = { messageId: null, sentAfter: 0 };
    const messageId = sent.kind === 'accepted' ? sent.messageId : 'not accepted';
    expect(await capture.lookUp?.({ ...reference, key: 'a' })).toEqual({
      kind: 'found',
      messageId,
      at: world.clock.now(),
    });
    expect(await capture.lookUp?.({ ...reference, key: 'b' })).toEqual({ kind: 'absent' });
  });

  it('a database that fails is a doubt, not an exception', async () => {
    const broken = createCapture({
      db: {
        ...world.db,
        write: {
          insertInto: () => {
            throw new Error('disk full');
          },
        } as never,
      },
      clock: world.clock,
      ids: systemIds,
    });
    expect(await broken.send(parcel('a', 1))).toMatchObject({
      kind: 'unknown',
      error: { code: 'capture_failed' },
    });
  });
});
