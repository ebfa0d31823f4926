import { pageOf } from './html.ts';

/** For people at an address that is none of ours: they have mistyped it, or a link is old. It repeats nothing of what they asked for. */
export function nothingHerePage(): string {
  const content = `<h1>There is nothing here</h1>
<p>Nothing has this address. It may be mistyped, or the link to it old.</p>
<p class="muted"><a href="/">To the front page</a></p>`;
  return pageOf({ title: 'There is nothing here', content, isUnlisted: true });
}
