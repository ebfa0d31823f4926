/**
 * Carries out one order after the other, until whoever gives them is gone. What `prepare` answers is begun at the word.
 * @param {(order: any) => Promise<() => Promise<unknown>>} prepare
 */
export function takeOrders(prepare) {
  const word = () => new Promise((resolve) => process.once('message', resolve));
  process.on('message', async function begin(order) {
    process.off('message', begin);
    const race = await prepare(order);
    const start = word();
    process.send('ready');
    await start;
    const answer = await race();
    process.on('message', begin);
    process.send(answer);
  });
}
