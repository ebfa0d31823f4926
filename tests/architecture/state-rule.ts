import { programOutside, type Rule } from './source-files.ts';
import { codeOnly } from './source-text.ts';

/** What a module remembers from one call to the next: a variable, or something empty that is there to be filled. */
const remembered = [
  /^(?:export )?(?:let|var)\s+(\w+)/gm,
  /^(?:export )?const\s+(\w+)[^=\n]*=\s*new\s+(?:Weak)?(?:Map|Set)(?:<[^;]*>)?\(\)/gm,
  /^(?:export )?const\s+(\w+)[^=\n]*=\s*(?:\[\s*\]|\{\s*\})\s*;/gm,
];

/** What was worked out once and is the same for everybody, for ever. One that is gone must go here, too. */
export const memories: readonly { path: string; name: string; because: string }[] = [
  { path: 'src/domain/address.ts', name: 'known', because: 'how a domain is written does not change' },
  { path: 'src/domain/message.ts', name: 'passed', because: 'what has passed is frozen, and stays as it is' },
  { path: 'src/std/ids.ts', name: 'lastSpace', because: 'the octets of a UUID are always the same' },
  { path: 'src/emails/render.ts', name: 'loaded', because: 'templates do not change under a process' },
  { path: 'src/sources/newsletters/period.ts', name: 'formats', because: 'to make one takes long' },
  {
    path: 'src/sources/course-seats/mail/readable.ts',
    name: 'daysByLocale',
    because: 'days are called the same every day',
  },
  {
    path: 'src/sources/course-seats/mail/validate-mail-job.ts',
    name: 'compiled',
    because: 'to compile the schema takes long, and only whoever has seats needs it',
  },
  {
    path: 'src/sources/course-seats/subscriptions/quiet-hours.ts',
    name: 'spans',
    because: 'what a day is in a time zone is known for good',
  },
  {
    path: 'src/sources/course-seats/subscriptions/quiet-hours.ts',
    name: 'formats',
    because: 'to make one takes long',
  },
];

export const modulesRememberNothing: Rule = (files) => {
  const found = programOutside(files, []).flatMap(({ path, text }) => {
    const code = codeOnly(text);
    const matches = remembered.flatMap((pattern) => [...code.matchAll(pattern)]);
    return matches.map(([, name = '']) => ({ path, name }));
  });
  const isSame = (one: { path: string; name: string }) => (other: { path: string; name: string }) =>
    one.path === other.path && one.name === other.name;
  return [
    ...found
      .filter((one) => !memories.some(isSame(one)))
      .map(
        ({ path, name }) =>
          `${path} remembers something in ${name}: a second engine in the process, or the next command, would find it there. Keep it in what create… makes.`,
      ),
    ...memories
      .filter((one) => files.some(({ path }) => path === one.path) && !found.some(isSame(one)))
      .map(
        ({ path, name }) =>
          `${path} has no ${name} any more: remove it from tests/architecture/state-rule.ts.`,
      ),
  ];
};
