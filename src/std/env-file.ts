import { existsSync, readFileSync } from 'node:fs';
import { Refusal } from './refusal.ts';

/** A setting with a quoted value, which may go over several lines, to the end of the last one. */
const quotedSetting = /^ *(?:export )?[\w.-]+ *= *(?<quote>["'`])[\s\S]*?\k<quote>.*/gm;
/** What looks like an empty line in a quoted value is none: so those are found first. */
const emptyLine = new RegExp(`(${quotedSetting.source})|^[ \\t]*(?:#.*)?$`, 'gm');

/** The text of a file of settings, its comments left out; empty where there is none. */
export function readEnvFile(envFile: string): string {
  if (!existsSync(envFile)) return '';
  try {
    // Some editors put an invisible mark before the first name.
    const text = readFileSync(envFile, 'utf8').replace(/^\ufeff/, '');
    // To the parser a line of blanks, and what is behind a lone quote in a last line that does not end, would be parts of a name.
    return `${text}\n`.replace(emptyLine, (found, setting) => (setting === undefined ? '' : found));
  } catch {
    throw new Refusal(
      'invalid_configuration',
      `${envFile} cannot be read. Make it a file that this user may read.`,
    );
  }
}

/** The parser passes over them in silence, or takes them for the beginning of the next one's name. */
export function unreadableLines(text: string, envFile: string): string[] {
  const withFirstLines = text.replace(quotedSetting, (setting) => setting.replace(/\n[^\n]*/g, '\n'));
  return withFirstLines.split(/\r?\n/).flatMap((line, index) => {
    const isFine = /^$|^ *(export )?[\w.-]+ *=/.test(line);
    return isFine ? [] : [`Line ${index + 1} of ${envFile} is not NAME=value.`];
  });
}
