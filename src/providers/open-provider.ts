import type { Database } from '../db/database.ts';
import type { Clock } from '../std/clock.ts';
import type { Ids } from '../std/ids.ts';
import { createCapture } from './capture.ts';
import type { Provider } from './provider.ts';

/** As the settings have it; empty texts for what is not chosen. */
export interface ProviderChoice {
  readonly provider: 'capture' | 'resend' | 'smtp';
  readonly resendApiKey: string;
  readonly resendBaseUrl: string;
  readonly resendMaxRps: number;
  readonly smtpUrl: string;
}

/** The provider that was chosen, loaded only then: who uses the built-in inbox does not pay for the others. */
export async function openProvider(
  choice: ProviderChoice,
  { db, clock, ids }: { db: Database; clock: Clock; ids: Ids },
): Promise<Provider> {
  switch (choice.provider) {
    case 'capture':
      return createCapture({ db, clock, ids });
    case 'resend': {
      const { createResend } = await import('./resend.ts');
      const { resendApiKey: apiKey, resendBaseUrl: baseUrl, resendMaxRps: ratePerSecond } = choice;
      return createResend({ apiKey, baseUrl, ratePerSecond, clock });
    }
    case 'smtp': {
      const { createSmtp } = await import('./smtp.ts');
      return createSmtp({ url: choice.smtpUrl, clock });
    }
  }
}
