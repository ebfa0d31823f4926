import type { ReactElement } from 'react';
import { createValues, type PropsOf, type PropsSchema, type Values } from './values.ts';
import type { Locale, Words } from './words.ts';

/**
 * What a template is: a pure function from checked values to subject, html and text. It knows no clock, no address and no
 * database; amounts and dates reach it as they are to be read. Every value is the child or the attribute of an element, as the
 * plain string that it is; none is ever put together with markup.
 */
export interface Template<Schema extends PropsSchema = PropsSchema, Written extends Locale = Locale>
  extends TemplateParts<Schema, Written> {
  /** From whatever was given to the template's own props, or what is wrong with it. */
  read(given: Readonly<Record<string, unknown>>): Values<Schema>;
}

interface TemplateParts<Schema extends PropsSchema, Written extends Locale> {
  readonly name: string;
  /** Changes whenever the same props would give other bytes. */
  readonly version: string;
  /** The languages that it is written in, and the only ones in which it is ever asked for words. */
  readonly locales: readonly Written[];
  readonly schema: Schema;
  /**
   * For previews and tests: every part of the template shows in at least one of them. One whose name begins with a language and
   * a dash holds amounts or dates of that language (`ro-monthly`), and `samplesIn` has it for that one only.
   */
  readonly samples: Readonly<Record<string, PropsOf<Schema>>>;
  subject(props: PropsOf<Schema>, words: Words<Written>): string;
  html(props: PropsOf<Schema>, words: Words<Written>): ReactElement;
  /** Written, not derived from the html: a text reads differently from a page. Links stand in it in full. */
  text(props: PropsOf<Schema>, words: Words<Written>): string;
}

export function createTemplate<const Schema extends PropsSchema, const Written extends Locale>(
  parts: TemplateParts<Schema, Written>,
): Template<Schema, Written> {
  return { ...parts, read: createValues(parts.name, parts.schema) };
}
