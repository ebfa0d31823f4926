/**
 * RFC 2369 and RFC 8058: mail programs show a button of their own, and pressing it is one POST to the link. Exactly one https
 * address, and both headers must be under the provider's signature. Auto-Submitted (RFC 3834) keeps auto-replies from us.
 */
export function listHeaders(unsubscribeUrl: string): Record<string, string> {
  return {
    'List-Unsubscribe': `<${unsubscribeUrl}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    'Auto-Submitted': 'auto-generated',
  };
}
