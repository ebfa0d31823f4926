import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { createEngine, type Engine } from '../../src/engine.ts';
import { type RunningProcess, startProcess } from '../../src/main.ts';
import { silentLog } from '../../src/std/log.ts';
import { emptyDatabase } from '../support/world.ts';
import { type Chromium, startChromium, type Visit } from './browser.ts';

/** A server with the console as it is built, a browser, and an engine beside them on the same database. */
export interface SourcesWorld {
  server: RunningProcess;
  engine: Engine;
  /** A page of the console. */
  open(path: string, options?: Parameters<Chromium['open']>[0]): Promise<Page>;
  /** What the browser has complained about so far, which is over with that. */
  complaints(): string[];
  /** Fails if there is any. */
  leave(): Promise<void>;
  // biome-ignore lint/suspicious/noExplicitAny: an answer is whatever came; tests say what it must be.
  api(method: string, path: string, body?: object, key?: string): Promise<any>;
  until<T>(look: () => Promise<T | undefined>): Promise<T>;
  close(): Promise<void>;
}

export async function createSourcesWorld(variables: Record<string, string> = {}): Promise<SourcesWorld> {
  const database = await emptyDatabase('sqlite');
  const config = readConfig({ DATABASE_URL: database.url, PORT: '0', ...variables }, '/no/such/file');
  const server = await startProcess(config, { log: silentLog });
  const engine = await createEngine(config, { log: silentLog, migrations: 'all' });
  const chromium = await startChromium();
  let visit: Visit | undefined;
  const complaints = () => visit?.complaints.splice(0) ?? [];
  return {
    ...{ server, engine, complaints },
    async open(path, options = {}) {
      visit = await chromium.open({ locale: 'en-GB', ...options });
      await visit.page.goto(`${server.url}/console${path}`);
      return visit.page;
    },
    async leave() {
      const left = complaints();
      await visit?.close();
      visit = undefined;
      expect(left).toEqual([]);
    },
    async api(method, path, body, key) {
      const response = await fetch(`${server.url}${path}`, {
        method,
        headers: {
          ...(body && { 'content-type': 'application/json' }),
          ...(key !== undefined && { authorization: `Bearer ${key}` }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      return response.json();
    },
    async until(look) {
      for (let tries = 0; tries < 600; tries++) {
        const found = await look();
        if (found !== undefined) return found;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      throw new Error('waited half a minute for what did not come');
    },
    async close() {
      await chromium.close();
      await engine.close();
      await server.stop();
      await database.drop();
    },
  };
}

/** What an operator is asked before anything changes, answered without a mouse. */
export async function reasonByKeyboard(page: Page, reason: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Why').fill(reason);
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
}
