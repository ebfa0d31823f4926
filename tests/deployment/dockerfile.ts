import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The Dockerfile as a builder reads it, and what the builder is sent. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

export interface Instruction {
  name: string;
  text: string;
}

export interface Stage {
  /** Empty for the last one, which is the image. */
  name: string;
  instructions: Instruction[];
}

export function readStages(): Stage[] {
  const lines = readFileSync(`${root}Dockerfile`, 'utf8').replaceAll('\\\n', '').split('\n');
  const stages: Stage[] = [];
  for (const line of lines.filter((each) => /^[A-Z]/.test(each))) {
    const [, name = '', text = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    if (name === 'FROM') stages.push({ name: / AS (\S+)$/.exec(text)?.[1] ?? '', instructions: [] });
    stages.at(-1)?.instructions.push({ name, text });
  }
  return stages;
}

export interface Copy {
  /** The stage that it is copied from; undefined for what the builder is sent. */
  from: string | undefined;
  paths: string[];
  to: string;
}

export function copiesOf({ instructions }: Stage): Copy[] {
  return instructions
    .filter(({ name }) => name === 'COPY')
    .map(({ text }) => {
      const [, from, rest = ''] = /^(?:--from=(\S+) )?(.*)$/.exec(text) ?? [];
      const words = rest.split(' ');
      return { from, paths: words.slice(0, -1), to: words.at(-1) ?? '' };
    });
}

/** As a list of words, which is the form that no shell stands before. */
export function wordsOf(stage: Stage, name: string): string[] {
  const texts = stage.instructions.filter((each) => each.name === name).map(({ text }) => text);
  return texts.length === 1 ? (JSON.parse(texts[0]?.replace(/^.*CMD (?=\[)/, '') ?? '') as string[]) : [];
}

const ignored = readFileSync(`${root}.dockerignore`, 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => ({ isBack: line.startsWith('!'), pattern: patternOf(line.replace(/^!/, '')) }));

/** The last line that matches a path, or a folder above it, decides. */
export function isSent(path: string): boolean {
  const names = path.split('/');
  const withParents = names.map((_, index) => names.slice(0, index + 1).join('/'));
  let isOut = false;
  for (const { isBack, pattern } of ignored) {
    if (withParents.some((each) => pattern.test(each))) isOut = !isBack;
  }
  return !isOut;
}

function patternOf(text: string): RegExp {
  const escaped = text.replace(/[.+^$()|[\]{}\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/\*\*\/|\*/g, (stars) => (stars === '*' ? '[^/]*' : '(?:.*/)?'))}$`);
}
