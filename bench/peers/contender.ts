/**
 * Whoever is measured: the engine, the bare loop, or a queue with a send in it. Each is in a process of its own that is kept for all
 * rounds, and does nothing while another has its turn.
 */
export interface Contender {
  /** Puts the jobs of a round where they can be claimed. Not measured. */
  fill(round: number): Promise<void>;
  /** Until the last of them is recorded. Whoever has to start a worker first says when that is up: its start is not measured. */
  run(isUp: () => void): Promise<void>;
  /** What has been recorded in all rounds so far, and what is still waiting. */
  check(): Promise<Recorded>;
  close(): Promise<void>;
}

export interface Recorded {
  /** Status rows that say "sent". */
  sent: number;
  /** Whether there are as many rows of the story and stored bodies; null where only the status is kept. */
  events: number | null;
  bodies: number | null;
  /** Jobs that the queue still has, in whatever state but done. */
  left: number;
}

/** POST and status row, or also a row of the story and the body as it was sent. */
export type Work = 'everything' | 'status';

export interface ContenderOrder {
  /** The file beside this one that makes it, without its ending. */
  kind: string;
  setting: string;
  work: Work;
  rows: number;
  /** To the provider. */
  connections: number;
  providerUrl: string;
  databaseUrl: string;
  redisUrl: string;
  /** A JSON file of `ReadyMail`s: what the others post, ready made, while the engine composes. */
  mailsFile: string;
}

/** What a contender's process is asked. */
export type Question =
  | { verb: 'open'; order: ContenderOrder }
  | { verb: 'fill'; round: number }
  | { verb: 'run' }
  | { verb: 'check' }
  | { verb: 'close' };

export interface Ran {
  wallMs: number;
  cpuMs: number;
  rssMb: number;
}
