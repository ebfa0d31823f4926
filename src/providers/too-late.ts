import type { Clock } from '../std/clock.ts';
import type { Parcel } from './provider.ts';

/**
 * Whether a mail may no longer begin to leave: the call could end after the lease, and then somebody else decides about the
 * mail. By both clocks, at the last moment at which nothing has been said: a machine that falls asleep while it connects
 * does not know it by the monotonic one.
 */
export function isTooLate(
  { startBefore, leaseEndsAt }: Pick<Parcel, 'startBefore' | 'leaseEndsAt'>,
  clock: Clock,
  longestCallMs: number,
): boolean {
  return clock.monotonic() > startBefore || clock.now() + longestCallMs > leaseEndsAt;
}
