/** Where a mail of this source may lead, as settings have it: empty for nowhere. */
export interface MailLinks {
  preferencesUrl: string;
  platformBaseUrl: string;
  unsubscribeUrl: string;
}

/** The props that every template of this source has; what leads nowhere is not among them. */
export function commonProps(links: MailLinks, { isPreview = false } = {}) {
  const { preferencesUrl, platformBaseUrl, unsubscribeUrl } = links;
  return {
    ...(preferencesUrl !== '' && { preferencesUrl }),
    ...(platformBaseUrl !== '' && { platformBaseUrl }),
    ...(unsubscribeUrl !== '' && { unsubscribeUrl }),
    ...(isPreview && { isPreview: 'true' }),
  };
}
