/**
 * One rule taken away by a small change of the source, as a good engineer might write it by mistake. Only a copy of the
 * source ever has it: the product has no switch for it.
 */
export interface PlantedBug {
  name: string;
  /** What it takes away: a rule of the outbox in a word or two, or a record in docs/decisions by its number. */
  rule: string;
  /** What is expected to go wrong. */
  because: string;
  edits: readonly Edit[];
  /** It can do harm only where its source is: it is looked for in those runs alone. */
  where?: 'on a campus' | 'among citizens' | 'among reviewers';
}

interface Edit {
  /** Under src/. */
  file: string;
  /** Occurs there once. */
  find: string;
  replace: string;
}
