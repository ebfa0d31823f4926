import { readConfig } from '../../src/config.ts';
import { type RunningProcess, startProcess } from '../../src/main.ts';
import { systemClock } from '../../src/std/clock.ts';
import { createRecordingLog, type RecordingLog } from '../support/recording-log.ts';
import { webhookSecret } from '../support/webhooks.ts';

/** Processes as they are started for real, with a Resend and a collector on loopback. */
export interface TracedProcess extends Pick<RunningProcess, 'url' | 'stop'> {
  /** May be asked for more than once. */
  stop(): Promise<void>;
  log: RecordingLog;
  /** As somebody with the operator's key asks. */
  ask(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answered>;
  /** Waits until a delivery has this status. */
  untilStatus(seq: number, status: string): Promise<void>;
}

interface Answered {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: an answer is whatever came; tests say what it must be.
  json: any;
}

/** Each of them must be in nothing that is exported. */
export const keys = {
  resend: 're_0123456789abcdefghij',
  operator: 'operator-0123456789abcdefghijklmnopqr',
  token: 'token-0123456789abcdefghijklmnopqrstu',
  collector: 'collector-0123456789abcdefghijklmno',
} as const;

export async function startTraced(environment: Record<string, string>): Promise<TracedProcess> {
  const log = createRecordingLog();
  const config = readConfig(
    {
      ...{ PORT: '0', SOC_BASE_URL: 'off', TIDINGS_ENV: 'test' },
      ...{ RESEND_API_KEY: keys.resend, RESEND_MAX_RPS: '1000', RESEND_WEBHOOK_SECRET: webhookSecret },
      ...{ EMAIL_FROM_ADDRESS: 'noreply@example.org', PLATFORM_BASE_URL: 'http://127.0.0.1:1' },
      ...{ TOKEN_SECRET: keys.token, OPERATOR_API_KEY: keys.operator },
      ...environment,
    },
    'no such file',
  );
  const running = await startProcess(config, { log });
  const ask: TracedProcess['ask'] = async (path, body, headers = {}) => {
    const response = await fetch(`${running.url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${keys.operator}`, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, json: await response.json() };
  };
  let stopped: Promise<void> | undefined;
  return {
    url: running.url,
    stop: () => {
      stopped ??= running.stop();
      return stopped;
    },
    log,
    ask,
    async untilStatus(seq, status) {
      for (let tries = 0; tries < 200; tries++) {
        if ((await ask(`/api/v1/deliveries/${seq}`)).json.delivery.status === status) return;
        await systemClock.sleep(120); // Not more often than a key may ask.
      }
      throw new Error(`delivery ${seq} has not become ${status}`);
    },
  };
}
