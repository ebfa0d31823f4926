/**
 * Whether it is the way to the database, or the database as a whole, that failed, and not what was asked of it: it restarts, fails over, or
 * has too many connections. What was asked may be asked again, of the same or another one, and nothing that was asked is to blame.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, message } = error as Error & { code?: unknown };
  return (typeof code === 'string' && codes.test(code)) || messages.test(message);
}

/** Of sockets; and PostgreSQL's classes of connection exceptions, of operators that end it, and of too many connections. */
const codes = /^(ECONN\w+|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|08\w{3}|57P0[1-5]|53300)$/;
/** What the driver and its pool say without a code, and we ourselves of a connection that has gone silent. */
const messages =
  /^(Connection terminated|timeout exceeded when trying to connect|the database has not answered|Client has encountered a connection error)/;
