/** When things run. Every runner calls the same functions; they differ in who wakes whom. */
export interface Runner {
  start(): void;
  /** Work was put into the outbox: look at once. */
  wake(): void;
  /** Claims nothing more, lets what is in flight finish within a bound, gives back the rest. */
  stop(): Promise<void>;
  readonly isHealthy: boolean;
}
