/** A number and what there is so many of, as each language counts. */
export function manyEn(count: number, one: string, more: string): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : more}`;
}

export function manyRo(count: number, one: string, more: string): string {
  const rest = count % 100;
  const of = count >= 20 && (rest === 0 || rest >= 20) ? ' de' : '';
  return `${count.toLocaleString('ro')}${of} ${count === 1 ? one : more}`;
}
