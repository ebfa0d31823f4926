import type { Address } from '../../../domain/address.ts';

/**
 * Whose address is whose. Asked when a mail is about to leave for the first time, and never before: people change addresses, and
 * those who have left are forgotten by others first. It never throws for one user what it knows of another.
 */
export interface UserDirectory {
  readonly name: string;
  /** Every user that was asked for has an answer. */
  addressesOf(userIds: readonly string[]): Promise<ReadonlyMap<string, FoundAddress>>;
  /** Which users have this address, where that can be asked: an operator asks by it. */
  usersAt?(address: Address, limit: number): Promise<string[]>;
  /** Where somebody else is asked: why they cannot be, if they cannot. For an operator. */
  probe?(): Promise<string | undefined>;
  close?(): Promise<void>;
}

export type FoundAddress =
  | { kind: 'address'; address: Address }
  /** There is none to write to, and there will be none by waiting. */
  | { kind: 'none'; code: 'no_such_user' | 'no_verified_address' | 'invalid_address'; message: string }
  /** It could not be asked; in so long it may be. */
  | { kind: 'later'; waitMs: number; code: string; message: string };

/** Without a colon, which parts a delivery's key (002-O-03); as Clerk's ids and other people's names for users are. */
export const userIdPattern = /^[A-Za-z0-9_.@|-]{1,128}$/;
