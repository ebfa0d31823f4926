import { pageOf } from './html.ts';

/** The front page for whoever has no key that reads: that it runs, and where to go. Nobody's address is on it, and no figure. */
export function closedHomePage({ hasSeats }: { hasSeats: boolean }): string {
  const seats = '<p class="muted">For students: <a href="/seats">watch a course section</a></p>\n';
  const content = `<h1>Tidings is running</h1>
<p class="muted">What it has in hand is shown to whoever has a key that reads: <a href="/console">sign in</a></p>
${hasSeats ? seats : ''}<p class="muted">For programs: <a href="/docs">the API</a></p>`;
  return pageOf({ title: 'Tidings is running', content });
}
