import type { Config } from './settings.ts';
import { urlOf } from './std/url-of.ts';

/**
 * What the links in mails are made with: where they lead, and the secrets of their tokens. Links that lead to this machine, and a
 * secret that is in the database, will do for an inbox that nothing leaves. A command writes the links that its server would write.
 */
export function linkParts(
  { platformBaseUrl, tokenSecrets, host, port }: Config,
  namespace: string,
  servedAt: (() => string | undefined) | undefined,
) {
  return {
    baseUrl: () => platformBaseUrl || servedAt?.() || urlOf(host, port),
    secrets: tokenSecrets.length > 0 ? tokenSecrets : [namespace],
  };
}
