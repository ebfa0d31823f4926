import { createHash } from 'node:crypto';

/** What happened, in order and by the virtual clock. The hash of it is what "the same run" means. */
export interface Story {
  tell(sentence: string): void;
  readonly lines: readonly string[];
  hash(): string;
}

export function createStory(elapsedMs: () => number): Story {
  const lines: string[] = [];
  let last = '';
  return {
    lines,
    tell(sentence) {
      // Who tries the same again and again says so once.
      if (sentence === last) return;
      last = sentence;
      lines.push(`${clockFace(elapsedMs())}  ${sentence}`);
    },
    hash: () => createHash('sha256').update(lines.join('\n')).digest('hex'),
  };
}

function clockFace(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const [hours, minutes, rest] = parts.map((part) => String(part).padStart(2, '0'));
  return `${hours}:${minutes}:${rest}.${String(Math.floor(ms % 1000)).padStart(3, '0')}`;
}
