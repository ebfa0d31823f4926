import type { Outcome } from '../domain/outcome.ts';

/**
 * What the built-in inbox can be told to do wrong, so that somebody can watch the engine cope. Each is what real providers do: what is
 * answered goes through the same outcomes, and what is reported through the same webhooks.
 */
export const chaosSwitches = {
  refuse: 'Every new mail is refused for good, as one that a provider finds invalid.',
  'time-out': 'No answer comes within three seconds, and the mail is not taken.',
  'accept-then-drop': 'The mail is taken, and the answer is lost on its way back.',
  throttle: 'Too many requests (429), with the request to come back in five seconds.',
  bounce: 'Mails are taken and bounce for good a second later: their addresses are suppressed.',
  complain: 'Mails arrive, and their readers complain: their addresses are suppressed.',
  duplicate: 'Everything is reported twice.',
  reorder: 'What happened first is reported last.',
  silence: 'Nothing is reported: mails stay `sent`.',
} as const satisfies Record<string, string>;

export type ChaosSwitch = keyof typeof chaosSwitches;
export type SwitchesOn = ReadonlySet<ChaosSwitch>;
export const chaosNames = Object.keys(chaosSwitches) as readonly ChaosSwitch[];

/** Long enough to be seen, and well within the longest call that the inbox promises. */
export const timeOutAfterMs = 3_000;
const retryAfterMs = 5_000;

const errorOf = (code: string, message: string) => ({ code, provider: 'capture', message });

/** What it answers instead of taking the mail; undefined where it takes it. The rate comes first, as it does before any mail is looked at. */
export function refusalUnder(on: SwitchesOn): Outcome | undefined {
  if (on.has('throttle'))
    return {
      ...{ kind: 'deferred', trouble: 'throttled', retryAfterMs },
      error: errorOf('rate_limit_exceeded', 'the switch throttle is on'),
    };
  if (on.has('time-out')) return { kind: 'unknown', error: errorOf('timed_out', 'no answer came in time') };
  if (on.has('refuse'))
    return { kind: 'refused_for_good', error: errorOf('validation_error', 'the switch refuse is on') };
  return undefined;
}

/** Taken, and nobody heard it. */
export const answerLost: Outcome = {
  kind: 'unknown',
  error: errorOf('connection_lost', 'the connection broke before the answer came'),
};

/** What becomes of a mail after it was taken, in a provider's words. */
export type ReportedEvent = 'sent' | 'delivered' | 'bounced' | 'complained';

/** In the order in which it is told. That a mail was taken is worth a report of its own only where reports are to be mixed up. */
export function reportsUnder(on: SwitchesOn): ReportedEvent[] {
  if (on.has('silence')) return [];
  const ending: ReportedEvent[] = on.has('bounce')
    ? ['bounced']
    : on.has('complain')
      ? ['delivered', 'complained']
      : ['delivered'];
  if (!on.has('duplicate') && !on.has('reorder')) return ending;
  const happened: ReportedEvent[] = ['sent', ...ending];
  const told = on.has('reorder') ? happened.toReversed() : happened;
  return on.has('duplicate') ? told.flatMap((event) => [event, event]) : told;
}
