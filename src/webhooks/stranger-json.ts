import { withoutAddresses } from '../std/without-addresses.ts';

/** Undefined for what is no JSON. It is a stranger's, and so is what is in it: only what the words below answer is ever used. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Own fields only: what a prototype has, nobody sent. */
export function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

/** PostgreSQL stores no NUL and no half of a character, and a row no novel. */
export function textIn(value: unknown, name: string, lengthMax: number): string | null {
  const text = fieldOf(value, name);
  if (typeof text !== 'string') return null;
  return text.slice(0, lengthMax).replaceAll('\0', '').toWellFormed() || null;
}

export const reasonIn = (value: unknown, name: string) =>
  withoutAddresses(textIn(value, name, 300) ?? 'no reason given');
