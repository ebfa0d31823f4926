// The command line as it is on a screen: both streams say that they are one, and how wide it is.
const columns = Number(process.env.SCREEN_COLUMNS ?? 80);
for (const stream of [process.stdout, process.stderr]) Object.assign(stream, { isTTY: true, columns });
await import('./entry.mjs');
