// Reloads the page when there are other mails than those that it was made of, also after the server was started anew; and four keys.
const { version } = document.documentElement.dataset;
new EventSource('/events').addEventListener('message', ({ data }) => {
  if (data !== version) location.reload();
});

const follow = (link) => link && location.assign(link.href);
const other = (group) => document.querySelector(`[aria-label="${group}"] a:not([aria-current])`);
const neighbour = (step) => {
  const links = [...document.querySelectorAll('nav a')];
  return links[links.findIndex((link) => link.hasAttribute('aria-current')) + step];
};
const keys = {
  j: () => follow(neighbour(1)),
  k: () => follow(neighbour(-1)),
  w: () => follow(other('Width')),
  d: () => follow(other('Light or dark')),
};
document.addEventListener('keydown', ({ key, ctrlKey, metaKey, altKey }) => {
  if (!ctrlKey && !metaKey && !altKey) keys[key]?.();
});
document.querySelector('nav [aria-current]')?.scrollIntoView({ block: 'nearest' });
