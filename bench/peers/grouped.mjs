/**
 * What an expert adds by hand: while one write is on its way, whoever is ready waits, and all of them go together in the next.
 * No timer: a lone one is written at once. Resolves for each when its write is committed.
 */
export function createGroup(write, most) {
  let waiting = [];
  let isWriting = false;

  async function writeAll() {
    isWriting = true;
    while (waiting.length > 0) {
      const group = waiting.slice(0, most);
      waiting = waiting.slice(most);
      try {
        await write(group.map(({ item }) => item));
        for (const { resolve } of group) resolve();
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    isWriting = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!isWriting) void writeAll();
    });
}
