/**
 * Between npm and us stands a shell that dies of a SIGTERM without passing it on. Started by npm, the death of that parent
 * is the signal; started by anybody else, outliving one's parent may be just what is wanted.
 */
export function stopWithNpm() {
  if (process.env.npm_command === undefined) return;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 200);
  watch.unref();
}
