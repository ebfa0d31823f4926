/** Ctrl-C is heard between two batches; a second one ends the process where it stands. */
export function untilInterrupted() {
  const stopping = new AbortController();
  function onSignal() {
    if (stopping.signal.aborted) process.exit(1);
    stopping.abort();
  }
  process.on('SIGINT', onSignal);
  return {
    signal: stopping.signal,
    get is() {
      return stopping.signal.aborted;
    },
    forget: () => void process.off('SIGINT', onSignal),
  };
}
