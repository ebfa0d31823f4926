/** The address of a database or a Redis without user, password and options: fit for a screen, a log, and a screenshot of either. */
export function withoutCredentials(url: string): string {
  const [, scheme = ''] = /^(postgres|rediss?)(?:ql)?:/.exec(url) ?? [];
  if (scheme === '') return url;
  try {
    const { host, pathname } = new URL(url);
    return `${scheme}://${host}${pathname}`;
  } catch {
    // What cannot be read cannot be redacted.
    return `${scheme}://…`;
  }
}

/** Error messages of drivers may quote the address that they were given. */
export function withoutPasswords(text: string): string {
  return text.replaceAll(/(\b[a-z][a-z0-9+.-]*:\/\/)\S*@/gi, '$1…@');
}
