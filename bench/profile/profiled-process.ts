import { readFileSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import type { SourceMapPayload } from 'node:module';
import { intentNumber } from '../send/intent-number.ts';
import { createSender } from '../send/sender.ts';
import { answerParent } from '../support/child.ts';
import { type PartName, sharesOf } from './shares.ts';

/** Sends so many until it is warm, and then as many with somebody who looks where it is, five thousand times a second. */
export interface ProfileOrder {
  databaseUrl: string;
  providerUrl: string;
  rows: number;
}

export type Profiled = readonly (readonly [PartName, number])[];

answerParent(async ({ databaseUrl, providerUrl, rows }: ProfileOrder): Promise<Profiled> => {
  const sender = await createSender({ databaseUrl, providerUrl, connections: 64 });
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: 200 });
  for (const occasion of ['to warm up', 'to warm up again']) await sendAll(occasion);
  await put('to be looked at');
  await session.post('Profiler.start');
  await sender.send(rows);
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  await sender.close();
  const file = `${process.argv[1]}.map`;
  const map = JSON.parse(readFileSync(file, 'utf8')) as SourceMapPayload;
  rmSync(file);
  return [...sharesOf(profile, map)].map(([name, micros]) => [name, micros / rows]);

  async function put(occasion: string): Promise<void> {
    for (let at = 0; at < rows; at += 1_000) {
      const size = Math.min(1_000, rows - at);
      await sender.enqueue(
        Array.from({ length: size }, (_, index) => ({ ...intentNumber(at + index), occasion })),
      );
    }
  }

  async function sendAll(occasion: string): Promise<void> {
    await put(occasion);
    await sender.send(rows);
  }
});
