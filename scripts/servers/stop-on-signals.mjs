import { constants } from 'node:os';
import { endGuards } from './guard.mjs';

/** When this process is told to stop, everything that a guard watches over goes first. Answers a question: was it told to? */
export function stopOnSignals() {
  let isInterrupted = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, async () => {
      if (isInterrupted) return; // A Ctrl-C arrives twice: from the terminal, and passed on by npm.
      isInterrupted = true;
      // Whoever started this one has said so already.
      if (!process.env.TIDINGS_STARTED_BY_PROOF) console.error(`\n${signal}: stopping what was started …`);
      await endGuards();
      process.exit(128 + constants.signals[signal]);
    });
  }
  return () => isInterrupted;
}
