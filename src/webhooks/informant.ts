import type { ProviderEvent } from './provider-event.ts';

/** A provider that tells by itself what became of mails: how it shows that it is it, and how its words are read. */
export interface Informant {
  provider: string;
  /** By how it shows that it is it; `in-process` for one that is part of this process, and has no door. */
  scheme: 'svix' | 'basic' | 'in-process';
  /** Types that are counted by name. */
  knownTypes: readonly string[];
  /** Nothing of a request is read before this has said yes. */
  verify(request: WebhookRequest, secrets: readonly string[], now: number): Verdict;
  /** Never throws: what it cannot read is `unreadable`. */
  read(text: string): ProviderEvent;
}

export interface WebhookRequest {
  provider: string;
  /** By names in lower case. */
  headers: Readonly<Record<string, string | undefined>>;
  body: Buffer;
}

/** `id` is the provider's name of the event, by which a repeat is known. */
export type Verdict = { ok: true; id: string; text: string } | { ok: false; problem: Problem };

export type Problem =
  | 'missing headers'
  | 'invalid signature'
  | 'missing credentials'
  | 'wrong credentials'
  | 'not text';
