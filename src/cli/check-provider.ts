import { readPace } from '../dispatch/pace.ts';
import { nameOf, troubles } from '../domain/hindrances.ts';
import type { PaceState } from '../domain/pace.ts';
import { providerNamed, providerNames, providers } from '../domain/providers.ts';
import type { Engine } from '../engine.ts';
import { ago, duration } from '../std/duration.ts';
import { textOf } from './check-database.ts';
import { type Finding, note, ok, problem } from './finding.ts';
import { resumeCommand, scopeName } from './pause-words.ts';
import { printable } from './printable.ts';

export interface ProviderCheckup {
  name: string;
  isUp: boolean;
  /** Why not. */
  reason: string | null;
  circuit: { openSince: string; reason: string | null } | null;
  pausedUntil: string | null;
  ratePerSecond: number | null;
}

/** A question without a mail has its own bounds; this is for one that has none. */
const answerWithinMs = 20_000;

/** Asks the provider whether it would take mail, and says what all processes know of it. */
export async function checkProvider(
  engine: Engine,
): Promise<{ provider: ProviderCheckup; findings: Finding[] }> {
  const { provider, db, clock } = engine;
  const bound = new AbortController();
  const late = { isUp: false as const, reason: `no answer within ${duration(answerWithinMs)}` };
  const answer = await Promise.race([
    provider.probe().catch((error: unknown) => ({ isUp: false as const, reason: textOf(error) })),
    clock.sleep(answerWithinMs, bound.signal).then(() => late),
  ]);
  bound.abort();
  const pace = await readPace(db, provider.account);
  const now = clock.now();
  const name = nameOf(provider.account);
  return {
    provider: {
      name,
      isUp: answer.isUp,
      reason: answer.isUp ? null : textOf(answer.reason),
      circuit:
        pace?.openSince == null
          ? null
          : { openSince: new Date(pace.openSince).toISOString(), reason: pace.openReason },
      pausedUntil: pace && pace.pausedUntil > now ? new Date(pace.pausedUntil).toISOString() : null,
      ratePerSecond: pace?.seenRatePerSecond ?? provider.guarantees.ratePerSecond,
    },
    findings: [
      answer.isUp
        ? upFinding(name, pace)
        : problem(
            `${name} was asked just now, and takes no mail: ${printable(textOf(answer.reason))}.`,
            `${cureOf(name, textOf(answer.reason))} What waits is kept and goes on by itself.`,
          ),
      ...(pace ? paceFindings(pace, name, now) : []),
      ...missingWebhook(name, engine.webhooks.isSetUp(name)),
    ],
  };
}

/** A mail server that wants a login says so only when it is given a mail. */
export function upFinding(name: string, pace: PaceState | null): Finding {
  return pace?.openReason === 'unauthorised'
    ? note(`${name} answered just now; whether it takes mail from us it says only to a mail.`)
    : ok(`${name} was asked just now, and takes mail.`);
}

function missingWebhook(name: string, isSetUp: boolean): Finding[] {
  const { title, webhook } = providerNamed(name) ?? {};
  if (!webhook || isSetUp) return [];
  const sentence = `${title} cannot tell us by itself what becomes of mails: ${webhook.secretName} is not set. It is asked, hours later.`;
  return [note(sentence, webhook.how)];
}

const probeCure = 'Check its key or address in the settings, its status page, and the way there.';
const smtpCure = 'Check host, port, user and password in SMTP_URL, and that a mail server listens there.';

const plainPortCure =
  'That port does not speak TLS from the first byte: write smtp:// in SMTP_URL, or the port that does, usually 465.';

export function cureOf(name: string, reason: string): string {
  if (/WRONG_VERSION_NUMBER/.test(reason)) return plainPortCure;
  return name === 'smtp' ? smtpCure : probeCure;
}

const credentials = providerNames.flatMap((name) => providers[name].credential?.name ?? []);

const cures: Readonly<Record<string, string>> = {
  unauthorised: `See whether the domain of EMAIL_FROM_ADDRESS is verified there. If it is, set the key that the provider accepts, ${credentials.join(', or ')}, and start again; and see whether it lets you send.`,
  over_quota:
    'Raise the quota at the provider, or wait until it is renewed; it is tried a few times an hour.',
};

export function paceFindings(pace: PaceState, name: string, now: number): Finding[] {
  if (pace.openSince !== null) {
    const why = troubles[pace.openReason ?? ''] ?? printable(pace.openReason ?? 'it is down');
    const sentence = `The circuit is open since ${ago(now - pace.openSince)}: no mail is handed to ${name}, because ${why}.`;
    const again = pace.probeAt === null || pace.probeAt <= now ? 'now' : `in ${duration(pace.probeAt - now)}`;
    const cure =
      cures[pace.openReason ?? ''] ?? `Nothing to do here: a running worker asks it again ${again}.`;
    return [problem(sentence, cure)];
  }
  if (pace.pausedUntil > now) {
    const left = duration(pace.pausedUntil - now);
    return [
      note(`${name} asked us to wait; mails go on in ${left}.`, 'Nothing to do: it goes on by itself.'),
    ];
  }
  const rate = pace.seenRatePerSecond;
  return rate === null ? [] : [note(`${name} allows ${rate} mails a second, by its own answers.`)];
}

export async function checkPauses({ pauses, clock }: Engine): Promise<Finding[]> {
  return (await pauses.list()).map(({ scope, reason, by, at }) => {
    const sentence = `An operator (${by}) has paused ${scopeName(scope)} ${ago(clock.now() - at)}: ${reason.replace(/[.\s]+$/, '')}.`;
    return note(printable(sentence), `When the reason is gone: ${resumeCommand(scope)}`);
  });
}
