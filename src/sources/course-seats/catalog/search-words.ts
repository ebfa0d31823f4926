/**
 * How a course is found. Its words and those of whoever looks for it are folded the same way: no case, no accents, and nothing but letters
 * and digits, which leaves no sign that a pattern of SQL could mistake for its own.
 */
export function foldedWords(text: string): string[] {
  const folded = text
    .normalize('NFKD')
    .replace(/[\p{M}'’]/gu, '')
    .toLowerCase();
  return folded.match(/[\p{L}\p{N}]+/gu) ?? [];
}

interface Findable {
  courseString: string;
  subjectCode: string;
  subjectDescription: string | null;
  title: string;
  expandedTitle: string | null;
}

/**
 * Every word has a blank before it, so that a beginning can be asked for. First the codes; between `|` and `#` the titles; then
 * what the subject is called, which finds much and therefore counts least.
 */
export function searchWordsOf(course: Findable): string {
  const codes = codesOf(course);
  const subject = foldedWords(course.subjectDescription ?? '');
  const titles = [course.title, course.expandedTitle ?? ''].map((title) => spaced(foldedWords(title)));
  return `${spaced([...codes, ...initialsOf(subject)])} |${titles.join(' |')} #${spaced(subject)} `;
}

/** `01:198:111` → itself, `198:111`, `111`, `198`. */
function codesOf({ courseString, subjectCode }: Findable): string[] {
  const parts = courseString
    .toLowerCase()
    .split(':')
    .map((part) => foldedWords(part).join(''));
  const tails = parts.map((_, index) => parts.slice(index).join(':'));
  return [...new Set([...tails, ...foldedWords(subjectCode)])].filter((code) => code !== '');
}

const spaced = (words: readonly string[]) => words.map((word) => ` ${word}`).join('');

/** `Computer Science` → `cs`, as people call it. */
function initialsOf(subject: readonly string[]): string[] {
  const words = subject.filter((word) => !smallWords.has(word));
  return words.length < 2 ? [] : [words.map((word) => [...word][0]).join('')];
}

const smallWords = new Set(['and', 'of', 'the', 'in', 'for', 'to', 'a', 'on', 'at']);
