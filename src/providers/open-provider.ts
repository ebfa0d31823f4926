import type { ProviderName } from '../domain/providers.ts';
import { type CaptureParts, createCapture } from './capture.ts';
import type { Provider } from './provider.ts';

/** As the settings have it; empty texts for what is not chosen. */
export interface ProviderChoice {
  readonly provider: ProviderName;
  readonly inboxDelayMs: number;
  readonly resendApiKey: string;
  readonly resendBaseUrl: string;
  readonly resendMaxRps: number;
  readonly resendConnections: number;
  readonly postmarkServerToken: string;
  readonly postmarkMessageStream: string;
  readonly postmarkBaseUrl: string;
  readonly smtpUrl: string;
}

/** The provider that was chosen, loaded only then: who uses the built-in inbox does not pay for the others. */
export async function openProvider(
  choice: ProviderChoice,
  { db, clock, ids, switchesOn }: Omit<CaptureParts, 'delayMs'>,
): Promise<Provider> {
  switch (choice.provider) {
    case 'capture':
      return createCapture({ db, clock, ids, delayMs: choice.inboxDelayMs, switchesOn });
    case 'resend': {
      const { createResend } = await import('./resend.ts');
      const { resendApiKey: apiKey, resendBaseUrl: baseUrl, resendMaxRps: ratePerSecond } = choice;
      return createResend({ apiKey, baseUrl, ratePerSecond, connections: choice.resendConnections, clock });
    }
    case 'postmark': {
      const { createPostmark } = await import('./postmark.ts');
      const { postmarkServerToken: serverToken, postmarkMessageStream: messageStream } = choice;
      return createPostmark({ serverToken, messageStream, baseUrl: choice.postmarkBaseUrl, clock });
    }
    case 'smtp': {
      const { createSmtp } = await import('./smtp.ts');
      return createSmtp({ url: choice.smtpUrl, clock });
    }
  }
}
