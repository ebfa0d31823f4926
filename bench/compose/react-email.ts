import type { ReactElement } from 'react';

/** What is compared with, as its users call it. */
export interface ReactEmail {
  render(element: ReactElement): Promise<string>;
  toPlainText(html: string): string;
}

/** From the packages of the bench, which nothing else needs. Its name is not written where it would be looked for without them. */
export async function readReactEmail(): Promise<ReactEmail> {
  const name = '@react-email/render';
  try {
    return await import(name);
  } catch (error) {
    throw new Error(`${name} is not installed: npm ci --prefix bench`, { cause: error });
  }
}
