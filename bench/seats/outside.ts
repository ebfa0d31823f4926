import type { SampleCampusOptions } from '../../src/sources/course-seats/sample/sample-campus.ts';
import { startChild } from '../support/child.ts';

/** The sample campus and a provider, both over real sockets, in a process of their own. */
export interface Outside {
  feedUrl: string;
  providerUrl: string;
  /** Sections that are closed, by term. */
  closed: Readonly<Record<string, string[]>>;
  switch(which: { open: string[]; close: string[] }): Promise<void>;
  /** Each list shows one more than the one before it. */
  openOneByOne(byTerm: Record<string, string[]>): Promise<void>;
  told(): Promise<Told[]>;
  close(): Promise<void>;
}

export interface Told {
  /** `<term>-<index>` */
  name: string;
  /** From the last octet of the list that showed the opening to the last octet of the mail. */
  ms: number;
}

type CampusOrder = Omit<SampleCampusOptions, 'clock'>;

export type OutsideOrder =
  | { kind: 'start'; campus: CampusOrder }
  | { kind: 'switch'; open: string[]; close: string[] }
  | { kind: 'open one by one'; byTerm: Record<string, string[]> }
  | { kind: 'told' };

export async function startOutside(campus: CampusOrder): Promise<Outside> {
  const child = startChild(new URL('outside-process.ts', import.meta.url));
  const ask = <Answer>(order: OutsideOrder) => child.ask<Answer>(order);
  const started = await ask<Pick<Outside, 'feedUrl' | 'providerUrl' | 'closed'>>({ kind: 'start', campus });
  return {
    ...started,
    switch: (which) => ask({ kind: 'switch', ...which }),
    openOneByOne: (byTerm) => ask({ kind: 'open one by one', byTerm }),
    told: () => ask({ kind: 'told' }),
    close: child.close,
  };
}
