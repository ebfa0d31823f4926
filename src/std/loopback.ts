/** Names and addresses that only this machine itself can reach. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|::1|127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/i.test(host);
}
