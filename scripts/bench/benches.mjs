/** Those that the table of docs/performance.md has, in its order: `npm run bench` runs all of them. */
export const ofTheTable = [
  'throughput',
  'compose',
  'enqueue',
  'fan-out',
  'claim',
  'flat',
  'latency',
  'start-up',
  'profile',
];

/** Those that are measured beside the packages of bench/package.json, and those that need a Redis. */
export const withPeers = ['throughput', 'compose', 'enqueue'];
export const withRedis = ['throughput', 'queues'];
