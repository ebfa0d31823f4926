/** Resolves once so many are done; a failure of one ends the wait with its error. */
export function createCounter(wanted) {
  let done = 0;
  let settle;
  const all = new Promise((resolve, reject) => {
    settle = { resolve, reject };
  });
  all.catch(() => {}); // Whoever waits hears of it.
  return {
    all,
    add(count = 1) {
      done += count;
      if (done >= wanted) settle.resolve();
    },
    fail: (error) => settle.reject(error),
  };
}
