import type { Pause } from '../dispatch/pauses.ts';
import { duration } from '../std/duration.ts';
import { printable } from './printable.ts';

/** What is stopped, for how long so far, by whom and why. */
export function tellPause({ scope, reason, by, at }: Pause, now: number): string {
  const text = `${capital(scopeName(scope))} has been paused for ${duration(Math.max(0, now - at))} by ${by}: ${reason.replace(/[.\s]+$/, '')}.`;
  return `${printable(text)} Go on with: ${resumeCommand(scope)}`;
}

export const scopeName = (scope: string) => (scope === '*' ? 'everything' : `the source ${scope}`);

export const resumeCommand = (scope: string) =>
  scope === '*' ? 'npx tidings resume' : `npx tidings resume ${scope}`;

export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
