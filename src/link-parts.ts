import type { Config } from './settings.ts';

/**
 * What the links in mails are made with: where they lead, and the secrets of their tokens. Links that lead to this machine, and a
 * secret that is in the database, will do for an inbox that nothing leaves.
 */
export function linkParts(
  { platformBaseUrl, tokenSecrets, port }: Config,
  namespace: string,
  servedAt: (() => string | undefined) | undefined,
) {
  return {
    baseUrl: () => platformBaseUrl || servedAt?.() || `http://localhost:${port}`,
    secrets: tokenSecrets.length > 0 ? tokenSecrets : [namespace],
  };
}
