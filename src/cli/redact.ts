/** A database's address without user, password and options: fit for a screen, a log, and a screenshot of either. */
export function withoutCredentials(databaseUrl: string): string {
  if (!/^postgres(ql)?:/.test(databaseUrl)) return databaseUrl;
  try {
    const { host, pathname } = new URL(databaseUrl);
    return `postgres://${host}${pathname}`;
  } catch {
    // What cannot be read cannot be redacted.
    return 'postgres://…';
  }
}

/** Error messages of drivers may quote the address that they were given. */
export function withoutPasswords(text: string): string {
  return text.replaceAll(/(\b[a-z][a-z0-9+.-]*:\/\/)\S*@/gi, '$1…@');
}
