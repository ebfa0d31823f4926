/** A setting as data, and the ways of reading one that several have in common. */
export interface Variable<T> {
  name: string;
  default: string;
  meaning: string;
  /** Never shown, not even by `doctor`. */
  isSecret?: true;
  /** The value, or a sentence that says what it must be. */
  read(text: string): { value: T } | { mustBe: string };
}

export const oneOf =
  <const T extends string>(...choices: T[]) =>
  (text: string) => {
    const value = choices.find((choice) => choice === text);
    return value === undefined ? { mustBe: `one of ${choices.join(', ')}` } : { value };
  };

export const listOf = (item: RegExp, mustBe: string) => (text: string) => {
  const value = text.split(',').map((part) => part.trim());
  if (text === '') return { value: [] };
  return value.every((part) => item.test(part)) ? { value } : { mustBe };
};

export const keyLengthMin = 32; // As 002-P2-08 asks of the first of them.

export const keys = (text: string) => {
  const value = text.split(',').map((key) => key.trim());
  const isFine = value.every((key) => key.length >= keyLengthMin && /^[\x21-\x7e]+$/.test(key));
  if (text === '') return { value: [] };
  return isFine
    ? { value }
    : { mustBe: `at least ${keyLengthMin} characters long, without spaces; several are separated by commas` };
};
