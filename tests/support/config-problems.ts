import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { Refusal } from '../../src/std/refusal.ts';

/** What a configuration is refused for; nothing, if it is taken. */
export function problemsOf(environment: Record<string, string>, file = 'no such file'): string[] {
  try {
    readConfig(environment, file);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(Refusal);
    return (error as Refusal).details?.problems as string[];
  }
}

/** A file of settings, gone when the test is over. */
export function envFile(text: string): string {
  const folder = mkdtempSync(join(process.env.TIDINGS_TEST_TMP ?? tmpdir(), 'tidings-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, '.env');
  writeFileSync(path, text);
  return path;
}
