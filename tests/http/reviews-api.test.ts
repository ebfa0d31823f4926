import { afterEach, beforeEach, expect, it } from 'vitest';
import { reviewReady } from '../../src/emails/templates/review-ready.tsx';
import { locales } from '../../src/emails/words.ts';
import { onBothDatabases } from '../support/world.ts';
import { type Api, type ApiWorld, createApiWorld, keys } from './api-world.ts';
import { giveUp, reviewBody, reviewsOf } from './reviews-examples.ts';

const path = '/api/v1/reviews';

onBothDatabases('review jobs over HTTP', (dialect) => {
  let world: ApiWorld;
  let api: Api;
  beforeEach(async () => {
    world = await createApiWorld(dialect);
    api = await world.serve({ api: { reviews: reviewsOf(world) } });
  });
  afterEach(() => world.close());
  const submit = (more: object = {}, key: string = keys.service[0]) =>
    api.ask('POST', `${path}/jobs`, { body: reviewBody(more), key });

  it('is made, answered again, and found by who made it', async () => {
    const made = await submit();
    expect([made.status, made.json.answer, made.json.differences]).toEqual([201, 'created', []]);
    expect(made.json.job).toMatchObject({
      ...{ idempotency_key: 'key-1', changelist_id: 'CL-1', review_version: 3, previous_version: null },
      ...{
        state: 'queued',
        rerun: false,
        findings_count: 1,
        locale: 'ro',
        created_by: 'the API (service key 1)',
      },
      recipients: [
        { email: 'ana@example.org', required: true, status: 'unsent', stage: 'pending', notified_at: null },
        { email: 'bob@example.org', required: false, status: 'unsent', stage: 'pending', notified_at: null },
      ],
    });
    const again = await submit({ title: 'Subject two', recipients: [{ email: 'Ana@example.org' }] });
    expect([again.status, again.json]).toEqual([
      200,
      { ...made.json, answer: 'duplicate_idempotency', differences: ['recipients', 'title'] },
    ]);
    const shown = await api.ask('GET', `${path}/jobs/${made.json.job.job_id.toUpperCase()}`, {
      key: keys.service[0],
    });
    expect(shown.json).toEqual({ ...made.json.job, findings: reviewBody().findings, dead_letters: [] });
  });

  it('an older version and an unasked rerun are refused with what to do', async () => {
    await submit();
    const stale = await submit({ idempotency_key: 'key-2', review_version: 1 });
    expect([stale.status, stale.json]).toMatchObject([
      409,
      {
        ...{ code: 'stale_review_version', details: { latest_version: 3 } },
        error:
          'This change list is at version 3 already, and an older one is told to nobody. Submit a version above 3.',
      },
    ]);
  });

  it.each([
    ['an unknown field', { recipient: [] }, 400, 'There is no field "recipient". Did you mean recipients?'],
    [
      'many unknown fields',
      Object.fromEntries(Array.from({ length: 30 }, (_, number) => [`summary${number}`, 1])),
      400,
      /^There is no field "summary0"\. Did you mean summary\? And \d+ more: see details\.$/,
    ],
    [
      'many unknown fields of a finding',
      {
        findings: [
          {
            severity: 'info',
            message: 'x',
            ...Object.fromEntries([...'abcdefghij'].map((name) => [name, 1])),
          },
        ],
      },
      400,
      /^There is no field "a" in findings\[0\]\./,
    ],
    ['no recipients', { recipients: [] }, 400, 'recipients must have at least one entry.'],
    ['a version that is none', { review_version: 0 }, 400, 'review_version must be at least 1.'],
    ['a version with a fraction', { review_version: 1.5 }, 400, 'review_version must be a whole number.'],
    ['a version as a text', { review_version: '3' }, 400, 'review_version must be a whole number.'],
    ['a version beyond all numbers', { review_version: 2 ** 60 }, 400, /at most/],
    [
      'two lines',
      { changelist_id: 'a\nb' },
      400,
      'changelist_id must be one line without control characters.',
    ],
    ['a NUL', { summary: 'a\0b' }, 400, 'summary must not hold a NUL character.'],
    [
      'a severity',
      { findings: [{ severity: 'bad', message: 'x' }] },
      400,
      /findings\[0\]\.severity must be one of/,
    ],
    ['a language', { locale: 'tlh' }, 400, `locale must be one of ${locales.join(', ')}.`],
    [
      'too many',
      { recipients: Array(501).fill({ email: 'a@example.org' }) },
      400,
      'recipients must have at most 500 entries.',
    ],
    [
      'bad addresses',
      { recipients: [{ email: 'x' }, { email: 'y' }] },
      422,
      /^recipients\[0\]\.email: .* And 1 more: see details\.$/,
    ],
    [
      'a script as a link',
      { url: 'javascript:alert(1)' },
      422,
      'url must be an http or https address without a password.',
    ],
    [
      'nobody required',
      { recipients: [{ email: 'a@example.org', required: false }] },
      422,
      /at least one that is required/,
    ],
    ['half of a character', { title: '\ud83d' }, 422, /half of a Unicode character/],
  ])('%s is refused', async (_, more, status, sentence) => {
    const answer = await submit(more);
    expect([answer.status, answer.json.error]).toEqual([
      status,
      typeof sentence === 'string' ? sentence : expect.stringMatching(sentence),
    ]);
    expect(await world.db.read.selectFrom('review_jobs').selectAll().execute()).toEqual([]);
    expect(await world.db.read.selectFrom('review_changelists').selectAll().execute()).toEqual([]);
  });

  it('lists by change list and by state, page after page, each once', async () => {
    for (let number = 0; number < 7; number++) {
      await submit({
        idempotency_key: `k${number}`,
        changelist_id: number % 2 ? 'odd' : 'even',
        review_version: number + 1,
      });
    }
    const all = async (query: string) => {
      const found: string[] = [];
      let next = '';
      for (let page = 0; page < 10; page++) {
        const { json } = await api.ask('GET', `${path}/jobs?limit=2${query}${next}`, { key: keys.read[0] });
        found.push(...json.jobs.map((job: { idempotency_key: string }) => job.idempotency_key));
        if (json.next === null) return found;
        next = `&before=${json.next.before}`;
      }
      throw new Error('it does not end');
    };
    expect((await all('')).sort()).toEqual(['k0', 'k1', 'k2', 'k3', 'k4', 'k5', 'k6']);
    expect(await all('&changelist_id=odd')).toEqual(['k5', 'k3', 'k1']);
    expect(await all('&state=succeeded')).toEqual([]);
    expect((await all('&state=queued')).length).toBe(7);
    expect(await all('&changelist_id=even&state=queued')).toEqual(['k6', 'k4', 'k2', 'k0']);
  });

  it('a service may try again, until it has ended twice in the same way; then an operator decides', async () => {
    const { job } = (await submit({ recipients: [{ email: 'ana@example.org' }] })).json;
    const [{ delivery_seq: seq }] = job.recipients;
    await giveUp(world, seq);
    const retry = (key: string, body: object = { reason: 'why' }) =>
      api.ask('POST', `${path}/jobs/${job.job_id}/retry`, { body, key });
    expect((await retry(keys.service[0], {})).json.error).toBe('reason is missing.');
    expect((await retry(keys.read[0])).status).toBe(403);
    const letters = async () => (await api.ask('GET', `${path}/dead-letters`, { key: keys.read[0] })).json;
    expect((await letters()).dead_letters).toMatchObject([
      {
        ...{
          job_id: job.job_id,
          email: 'ana@example.org',
          required: true,
          error_class: 'permanent_recipient',
        },
        ...{
          code: 'mailbox_unknown',
          step: 'compose',
          stage: 'failed_permanent',
          asks: 'caller',
          failures: 1,
        },
        context: { message: 'No such user [address]', provider: 'smtp', attempts: 1, rounds: 0 },
        escalated: false,
      },
    ]);
    const shown = await api.ask('GET', `${path}/jobs/${job.job_id}`, { key: keys.service[0] });
    expect(shown.json.dead_letters, 'the caller is asked where the caller looks').toEqual(
      (await letters()).dead_letters,
    );
    const first = await retry(keys.service[0], { reason: 'the account was made', by: 'the bot' });
    expect(first.json).toMatchObject({
      job: { state: 'in_progress' },
      recipients: [{ email: 'ana@example.org', requeued: true, outcome: 'requeued', stage: 'pending' }],
    });
    expect((await retry(keys.service[0])).json.recipients, 'nobody waits for it').toEqual([]);
    await giveUp(world, seq);
    expect((await letters()).dead_letters).toMatchObject([
      { escalated: true, asks: 'operator', failures: 2 },
    ]);
    const refused = await retry(keys.service[0]);
    expect([refused.status, refused.json.code]).toEqual([409, 'escalated']);
    expect((await retry(keys.operator[0])).json.recipients).toMatchObject([{ requeued: true }]);
    const { lines } = (await api.ask('GET', '/api/v1/audit')).json;
    expect(lines, 'what services ask for has its own books, an operator’s decision is here').toMatchObject([
      {
        who: 'the API (operator key 1)',
        verb: `POST ${path}/jobs/:jobId/retry`,
        reason: 'why',
        answer: '200',
      },
    ]);
    const story = await api.ask('GET', `/api/v1/deliveries/${seq}`);
    expect(
      story.json.story.map(({ event, actor }: { event: string; actor?: string }) => `${event} ${actor}`),
    ).toEqual([
      ...['created undefined', 'unsendable w', 'requeued operator the bot (service key 1)'],
      ...['unsendable w', 'requeued operator of the API (operator key 1)'],
    ]);
  });

  it('metrics count the newest jobs by state, and what has escalated', async () => {
    const { job } = (await submit({ recipients: [{ email: 'ana@example.org' }] })).json;
    await submit({ idempotency_key: 'k2', changelist_id: 'CL-2' });
    const metrics = async () => {
      await world.clock.advance(5_000);
      const { text } = await api.ask('GET', '/metrics', { key: keys.read[0] });
      return text.split('\n').filter((line) => /^tidings_review/.test(line));
    };
    expect(await metrics()).toEqual([
      'tidings_review_jobs{state="queued"} 2',
      'tidings_review_jobs{state="in_progress"} 0',
      'tidings_review_jobs{state="retryable_failed"} 0',
      'tidings_review_jobs{state="succeeded"} 0',
      'tidings_review_jobs{state="failed"} 0',
      'tidings_review_escalations 0',
    ]);
    const [{ delivery_seq: seq }] = job.recipients;
    await giveUp(world, seq);
    await api.ask('POST', `${path}/jobs/${job.job_id}/retry`, { body: { reason: 'why' } });
    await world.clock.advance(60_000);
    await world.db.write
      .updateTable('deliveries')
      .set({ status: 'pending', locked_by: null, locked_at: null, due_at: 1 })
      .where('status', '=', 'claimed')
      .execute();
    await giveUp(world, seq);
    for (const { once } of reviewsOf(world).chores) await once(new AbortController().signal);
    expect(await metrics()).toEqual(
      expect.arrayContaining(['tidings_review_jobs{state="failed"} 1', 'tidings_review_escalations 1']),
    );
    expect(world.logged.join('')).toContain('review.escalated');
  });

  it('the languages at the door are those of the mail', () => {
    expect([...locales]).toEqual([...reviewReady.locales]);
  });
});
