import { commandOf } from '../root.mjs';
import { runStep } from './run-step.mjs';

/** Writes what the client's types are into dist, beside the client. */
export function declare() {
  const args = ['-p', 'tsconfig.client.json'];
  runStep('Writing the types of the client', process.execPath, [commandOf('typescript', 'tsc'), ...args]);
}
