import { existsSync, readFileSync } from 'node:fs';
import { Refusal } from './refusal.ts';

/** The text of a file of settings; empty where there is none. */
export function readEnvFile(envFile: string): string {
  if (!existsSync(envFile)) return '';
  try {
    // Some editors put an invisible mark before the first name.
    return readFileSync(envFile, 'utf8').replace(/^\ufeff/, '');
  } catch {
    throw new Refusal(
      'invalid_configuration',
      `${envFile} cannot be read. Make it a file that this user may read.`,
    );
  }
}

/** The parser passes over them in silence. A value may go over several lines when it is quoted. */
export function unreadableLines(text: string, envFile: string): string[] {
  if (/["'`]/.test(text)) return [];
  return text.split(/\r?\n/).flatMap((line, index) => {
    const isFine = /^\s*(#.*)?$|^\s*(export\s+)?[\w.-]+\s*=/.test(line);
    return isFine ? [] : [`Line ${index + 1} of ${envFile} is not NAME=value.`];
  });
}
