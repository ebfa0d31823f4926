import SmtpConnection from 'nodemailer/lib/smtp-connection';
import type { SmtpFailure } from './smtp-answer.ts';
import type { Letter, LetterStream } from './smtp-letter.ts';
import type { SmtpServer } from './smtp-url.ts';

/**
 * One connection to a mail server, greeted and logged in, for one mail at a time. It knows no deadlines: whoever uses it
 * destroys it when he has waited enough. Nothing here rejects; what went wrong is the answer.
 */
export interface Session {
  /** Undefined is an acceptance. Once this is called, the stream's own word says how far the mail has got. */
  deliver(letter: Letter, stream: LetterStream): Promise<SmtpFailure | undefined>;
  /** Forgets an unfinished mail, and shows that the server is still there. */
  reset(): Promise<SmtpFailure | undefined>;
  /** Takes leave; resolves when the server has, too. */
  quit(): Promise<void>;
  /** At once, and whatever was not yet written is not written any more. */
  destroy(): void;
  readonly isOpen: boolean;
}

/** The connection is there at once, to be destroyed in mid-opening; `opened` tells what came of it. */
export function openSession(server: SmtpServer): {
  session: Session;
  opened: Promise<SmtpFailure | undefined>;
} {
  const connection = new SmtpConnection({
    host: server.host,
    port: server.port,
    secure: server.isSecure,
    requireTLS: !server.isSecure && server.startTls === 'required',
    ignoreTLS: server.startTls === 'never',
    tls: { ...server.tls, minVersion: 'TLSv1.2' },
    // A local mail server on a machine without a network is a mail server.
    allowInternalNetworkInterfaces: true,
    // Ours are shorter and decide. These only make sure that no socket is forgotten.
    connectionTimeout: forgottenMs,
    greetingTimeout: forgottenMs,
    socketTimeout: forgottenMs,
  });
  // nodemailer tells of a lost connection by `error` and `end`, and calls no callback but that of a mail.
  const lost = new Promise<SmtpFailure>((resolve) => {
    connection.on('error', (error) => resolve(failureOf(error)));
    // A 421 ends the connection and answers the mail, in this order: a moment later the answer, which says more, has won.
    connection.once('end', () => queueMicrotask(() => resolve({ code: 'ECONNECTION', command: 'CONN' })));
  });
  const asked = (ask: (done: (error?: unknown) => void) => void) =>
    Promise.race([
      new Promise<SmtpFailure | undefined>((resolve) => {
        try {
          ask((error) => resolve(error ? failureOf(error) : undefined));
        } catch (error) {
          resolve(failureOf(error));
        }
      }),
      lost,
    ]);

  const session: Session = {
    deliver: (letter, { stream }) =>
      asked((done) => {
        const envelope = { from: letter.from, to: [letter.to], size: letter.bytes.length };
        connection.send(envelope, stream, done);
      }),
    reset: () => asked((done) => connection.reset(done)),
    async quit() {
      if (connection.destroyed) return;
      connection.quit();
      await lost;
    },
    destroy() {
      connection.close();
      // After an end() the socket would wait for the other side.
      if (connection._socket) connection._socket.destroy();
    },
    get isOpen() {
      return !connection.destroyed;
    },
  };

  async function open(): Promise<SmtpFailure | undefined> {
    const failure = await asked((done) => connection.connect(done));
    if (failure || !server.credentials) return failure;
    const credentials = server.credentials;
    return asked((done) => connection.login({ credentials }, done));
  }
  return { session, opened: open() };
}

const forgottenMs = 15 * 60_000; // Beyond RFC 5321's longest wait, 10 minutes after the final dot.

function failureOf(error: unknown): SmtpFailure {
  const { code, originalCode, command, responseCode, response } = error as SmtpFailure;
  return {
    ...(typeof code === 'string' && { code }),
    ...(typeof originalCode === 'string' && { originalCode }),
    ...(typeof command === 'string' && { command }),
    ...(typeof responseCode === 'number' && { responseCode }),
    ...(typeof response === 'string' && { response }),
  };
}
