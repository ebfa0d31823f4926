import { afterEach, beforeEach, expect, it } from 'vitest';
import { addressOf, monthly, november } from '../newsletters/civic-world.ts';
import { onBothDatabases } from '../support/world.ts';
import { createRunsApi, type RunsApi } from './notifications-runs-world.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const people = (...numbers: number[]) => numbers.map((number) => addressOf(`user-${number}`));

onBothDatabases('runs over the API', (dialect) => {
  let api: RunsApi;
  beforeEach(async () => {
    api = await createRunsApi(dialect);
  });
  afterEach(() => api.close());

  const answerOf = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code];

  it('a dry run counts, a limit caps, a second click starts nothing, force looks again', async () => {
    await api.followAll(3);
    const answer = { notificationType: monthly, periodKey: '2026-10', dryRun: false };
    const dry = { ...answer, runId: expect.any(String), dryRun: true, collectJobEnqueued: false };
    expect(await api.order({ dryRun: true })).toEqual({ status: 200, body: { ...dry, eligibleCount: 3 } });
    expect((await api.order({ dryRun: true, limit: 2 })).body.eligibleCount).toBe(2);
    expect((await api.ask('GET', '/runs')).body).toEqual({ runs: [], next: null });

    expect((await api.order({ limit: 2 })).body).toMatchObject({
      eligibleCount: 2,
      collectJobEnqueued: true,
    });
    await api.settle();
    expect(api.sentTo()).toHaveLength(2);
    expect((await api.order()).body).toMatchObject({
      ...answer,
      eligibleCount: 1,
      collectJobEnqueued: false,
    });
    await api.settle();
    expect(api.sentTo()).toHaveLength(2);
    expect((await api.order({ force: true })).body).toMatchObject({
      eligibleCount: 1,
      collectJobEnqueued: true,
    });
    await api.settle();
    expect(api.sentTo()).toEqual(people(1, 2, 3));
  });

  it('a plan says who, who not and what they would read; it is applied once, as it is', async () => {
    const ids = await api.followAll(4);
    await api.newsletters.notifications.update('user-4', ids[3] ?? '', { isActive: false });
    const { status, body: plan } = await api.plan({ limit: 2, by: 'ana', canary: { size: 1 } });
    expect([status, plan]).toMatchObject([
      201,
      {
        ...{ status: 'planned', notificationType: monthly, periodKey: '2026-10', limit: 2, eligibleCount: 2 },
        ...{ createdBy: 'ana (trigger key 1)', createdAt: new Date(november).toISOString(), isForced: false },
        ...{ planExpiresAt: new Date(november + 24 * hourMs).toISOString(), appliedAt: null, endedAt: null },
        canary: { size: 1, bouncesMax: 0, waitMinutes: 60, passedAt: null },
        progress: {
          items: { planned: 2, excluded: 2 },
          reasons: { over_limit: 1, by_user: 1 },
          done: 0,
          total: 2,
        },
        sample: { subject: expect.stringContaining('Town hall 4305857'), text: expect.any(String) },
      },
    ]);
    await api.settle();
    expect(api.sentTo()).toEqual([]);
    const planned = (await api.ask('GET', `/runs/${plan.runId}/items?state=planned`)).body.items;
    await api.follow(5);

    const canary = { size: 2, bouncesMax: 1, waitMinutes: 0.5 };
    const applied = await api.ask('POST', `/plans/${plan.runId}/apply`, { by: 'ben', canary });
    expect(applied).toMatchObject({
      status: 200,
      body: {
        status: 'running',
        because: 'applied by ben (trigger key 1)',
        canary: { ...canary, passedAt: null },
      },
    });
    const again = await api.ask('POST', `/plans/${plan.runId}/apply`, {});
    expect(answerOf(again)).toEqual([409, 'plan_used']);
    expect(again.body.error).toBe('A plan is applied once, and this one is running. Make a new one.');
    await api.settle();
    expect(api.sentTo()).toEqual(planned.map(({ userId }: { userId: string }) => addressOf(userId)).sort());
    // Who asks the ordinary way is told that it has been done.
    expect((await api.order()).body).toMatchObject({ collectJobEnqueued: false, eligibleCount: 2 });
  });

  it('however many look at a run, its list is counted once in a second, and anew when somebody has changed it', async () => {
    await api.followAll(2);
    const { runId } = (await api.order({ canary: { size: 1 } })).body;
    const counted = async () => {
      const looks = await Promise.all(Array.from({ length: 20 }, () => api.show(runId)));
      return new Set(looks.map(({ progress }) => progress.countedAt));
    };
    const first = new Date(api.clock.now()).toISOString();
    expect(await counted()).toEqual(new Set([first]));
    await api.clock.advance(900);
    expect(await counted()).toEqual(new Set([first]));
    const paused = new Date(api.clock.now()).toISOString();
    expect((await api.change('pause', runId)).body.progress.countedAt).toBe(paused);
    expect(await counted()).toEqual(new Set([paused]));
    await api.clock.advance(1_001);
    expect(await counted()).toEqual(new Set([new Date(api.clock.now()).toISOString()]));
  });

  it('whoever counts, starts, plans or applies may say who and why, and need not', async () => {
    await api.followAll(1);
    const why = (reason: string) => ({ reason, by: 'ana' });
    await api.order({ ...why('to see'), dryRun: true });
    const plan = (await api.plan(why('for the council'))).body;
    const applied = await api.ask('POST', `/plans/${plan.runId}/apply`, why('they said yes'));
    expect([plan.createdBy, applied.status]).toEqual(['ana (trigger key 1)', 200]);
    await api.order({ force: true });
    const rows = await api.db.read.selectFrom('audit_log').selectAll().orderBy('audit_seq').execute();
    expect(rows.map(({ who, reason, answer }) => [who, reason, answer])).toEqual([
      ['ana (trigger key 1)', 'to see', '200'],
      ['ana (trigger key 1)', 'for the council', '201'],
      ['ana (trigger key 1)', 'they said yes', '200'],
      ['the API (trigger key 1)', null, '200'],
    ]);
  });

  it('a plan is of no use after a day', async () => {
    await api.followAll(1);
    const { runId } = (await api.plan()).body;
    await api.clock.advance(24 * hourMs);
    for (const turn of ['before anybody has looked', 'after']) {
      const late = await api.ask('POST', `/plans/${runId}/apply`, {});
      expect([turn, ...answerOf(late)]).toEqual([turn, 409, 'plan_expired']);
      await api.settle();
    }
    expect(await api.show(runId)).toMatchObject({ status: 'expired', endedAt: expect.any(String) });
    expect(api.sentTo()).toEqual([]);
  });

  it('runs and their lists come page by page, whole and once', async () => {
    const ids = await api.followAll(5);
    await api.newsletters.notifications.update('user-3', ids[2] ?? '', { isActive: false });
    const made: string[] = [];
    for (let number = 0; number < 5; number++) {
      made.unshift((await api.plan()).body.runId);
      await api.clock.advance(1_000);
    }
    const seen: string[] = [];
    for (let next = ''; ; ) {
      const { body } = await api.ask('GET', `/runs?limit=2${next}`);
      seen.push(...body.runs.map(({ runId }: { runId: string }) => runId));
      if (body.next === null) break;
      next = `&before=${body.next.before}`;
    }
    expect(seen).toEqual(made);

    const list = `/runs/${made[0]}/items`;
    const items: { notificationId: string; state: string; reason: string | null }[] = [];
    for (let next = ''; ; ) {
      const { body } = await api.ask('GET', `${list}?limit=2${next}`);
      items.push(...body.items);
      if (body.next === null) break;
      next = `&after=${body.next.after}`;
    }
    expect(items.map(({ notificationId }) => notificationId)).toEqual([...ids].sort());
    const excluded = (await api.ask('GET', `${list}?state=excluded`)).body;
    expect(excluded).toEqual({
      items: [
        {
          ...{ notificationId: ids[2], userId: 'user-3', periodKey: '2026-10', state: 'excluded' },
          ...{ reason: 'by_user', tries: 0, deliverySeq: null, deliveryStatus: null, deliveryError: null },
        },
      ],
      next: null,
    });
  });

  it('a run is held back, goes on and is ended; what makes no sense is refused with how it stands', async () => {
    await api.followAll(2);
    const { runId } = (await api.order()).body;
    await api.newsletters.runs.runOnce();
    expect((await api.change('pause', runId)).body).toMatchObject({
      ...{ status: 'paused', because: 'the text is wrong (ana (trigger key 1))' },
    });
    expect((await api.change('pause', runId, 'again')).body.because).toContain('the text is wrong');
    await api.settle();
    expect(api.sentTo()).toEqual([]);
    expect((await api.change('resume', runId)).body).toMatchObject({ status: 'running' });
    await api.settle();
    expect(api.sentTo()).toEqual(people(1, 2));
    expect(await api.show(runId)).toMatchObject({
      ...{ status: 'finished', progress: { deliveries: { sent: 2 }, done: 2, total: 2 } },
    });
    for (const verb of ['pause', 'resume', 'cancel'] as const) {
      const { status, body } = await api.change(verb, runId);
      expect([verb, status, body.code]).toEqual([verb, 409, 'run_not_changed']);
      expect(body.error).toMatch(
        /^The run is finished and cannot become (paused|running|cancelled) from there\.$/,
      );
    }

    const { runId: plan } = (await api.plan()).body;
    expect(answerOf(await api.change('pause', plan))).toEqual([409, 'run_not_changed']);
    expect((await api.change('cancel', plan)).body.status).toBe('cancelled');
    expect(answerOf(await api.change('resume', plan))).toEqual([409, 'run_not_changed']);
    expect(answerOf(await api.ask('POST', `/plans/${plan}/apply`, {}))).toEqual([409, 'plan_used']);

    await api.follow(3);
    const { runId: ended } = (await api.order({ force: true })).body;
    await api.newsletters.runs.runOnce();
    await api.change('cancel', ended);
    await api.settle();
    expect(api.sentTo()).toEqual(people(1, 2));
    expect(await api.show(ended)).toMatchObject({
      status: 'cancelled',
      progress: { reasons: { run_cancelled: 1 } },
    });
  });

  it('a canary mails a few; a bounce halts the run, silence lets the others follow', async () => {
    await api.followAll(4);
    const canary = { size: 1, bouncesMax: 0, waitMinutes: 30 };
    const { runId } = (await api.order({ canary })).body;
    await api.settle();
    expect(api.sentTo()).toHaveLength(1);
    expect(await api.show(runId)).toMatchObject({ status: 'running', canary: { ...canary, passedAt: null } });
    const bounce = { type: 'Permanent', subType: 'General', message: 'no such user' };
    const [mailed] = (await api.records()).filter(({ status }) => status === 'sent');
    await api.tell('msg_1', {
      type: 'email.bounced',
      messageId: mailed?.resend_email_id ?? '',
      data: { bounce },
    });
    await api.settle();
    await api.clock.advance(hourMs);
    await api.settle();
    expect(api.sentTo()).toHaveLength(1);
    const halted = await api.show(runId);
    expect(halted).toMatchObject({ status: 'halted', progress: { items: { planned: 3, composed: 1 } } });
    expect(halted.because).toMatch(/^Of the first mails 1 bounced, .*; at most 0 may\. \(canary\)$/);

    // Somebody has looked, and lets it go on.
    expect((await api.change('resume', runId, 'a typo of theirs')).body).toMatchObject({
      ...{ status: 'running', canary: { passedAt: expect.any(String) } },
    });
    await api.settle();
    expect(api.sentTo()).toEqual(people(1, 2, 3, 4));

    await api.ask('POST', '/trigger', { notificationType: monthly, periodKey: '2026-09', canary });
    await api.settle();
    expect(api.sentTo()).toHaveLength(5);
    await api.clock.advance(30 * minuteMs);
    await api.settle();
    expect(api.sentTo()).toHaveLength(7);
  });
});
