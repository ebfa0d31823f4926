import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

/**
 * A real Chromium, which leaves nothing behind: its profile, its home and its crash reports are in one folder that goes with it.
 * Every page keeps an account of what it should never do.
 */
export interface Chromium {
  open(options?: BrowserContextOptions): Promise<Visit>;
  close(): Promise<void>;
}

export interface Visit {
  page: Page;
  /** Console errors, script errors, requests that failed, and requests to another host than the visited. */
  complaints: string[];
  close(): Promise<void>;
}

const executablePath = process.env.TIDINGS_TEST_CHROMIUM;

/** Without one the tests are skipped, and the runner says so by name. */
export const hasChromium = executablePath !== undefined;

export async function startChromium(): Promise<Chromium> {
  if (!executablePath) throw new Error('TIDINGS_TEST_CHROMIUM is not set; run the tests with npm test');
  const root = process.env.TIDINGS_TEST_TMP ?? tmpdir();
  mkdirSync(root, { recursive: true });
  const folder = mkdtempSync(join(root, 'tidings-browser-'));
  // Where Playwright makes the profile; it may read this only once, when it is loaded.
  const { TMPDIR: before } = process.env;
  process.env.TMPDIR = folder;
  const { chromium } = await import('playwright-core');
  const places = ['HOME', 'TMPDIR', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_RUNTIME_DIR'];
  const browser = await chromium.launch({
    executablePath,
    // Chromium's own walls need a user who is not root; what it opens here is ours.
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    env: { ...process.env, ...Object.fromEntries(places.map((name) => [name, folder])) },
  });
  return {
    open: (options) => visit(browser, options),
    async close() {
      await browser.close();
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}

async function visit(browser: Browser, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const complaints: string[] = [];
  let host: string | undefined;
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`script: ${error.message}`));
  page.on('requestfailed', (request) => {
    const because = request.failure()?.errorText ?? '';
    // What is under way when a page is left is broken off by whoever leaves it.
    if (because === 'net::ERR_ABORTED' || request.resourceType() === 'eventsource') return;
    // What the page's own policy has stopped has not left the browser.
    if (because !== 'csp') return void complaints.push(`failed: ${request.url()} ${because}`);
    const place = complaints.indexOf(`elsewhere: ${request.url()}`);
    if (place >= 0) complaints.splice(place, 1);
  });
  page.on('request', (request) => {
    const asked = new URL(request.url()).host;
    host ??= asked;
    if (asked !== host) complaints.push(`elsewhere: ${request.url()}`);
  });
  return { page, complaints, close: () => context.close() };
}
