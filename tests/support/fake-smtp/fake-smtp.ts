import type { AddressInfo, Socket } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import type { Lies, Reply } from './lies.ts';

/**
 * A mail server on a real socket that accepts into a ledger and lies by rule. What is in the ledger has been accepted,
 * whatever the other side was told about it.
 */
export interface FakeSmtp {
  /** With user and password; `plainUrl` is without. */
  url: string;
  plainUrl: string;
  port: number;
  /** From now on, on all connections. */
  lie(lies: Lies): void;
  ledger: Accepted[];
  mails(): Promise<Email[]>;
  /** Connections there have been, and those that are open. */
  opened(): number;
  open(): number;
  /** What was said on all connections, one line each; content is not among it. */
  commands: string[];
  /** The connections that are there hear and say nothing any more, and do not end. */
  freeze(): void;
  /** Ends all connections as a server does that restarts. */
  hangUp(): Promise<void>;
  close(): Promise<void>;
}

export interface Accepted {
  from: string;
  to: string[];
  user: string | null;
  isSecure: boolean;
  raw: Buffer;
}

export interface FakeSmtpOptions {
  /** Without it, MAIL, RCPT and DATA are answered one by one. */
  pipelining?: boolean;
  /** Announced to the client. */
  sizeMax?: number;
  needsAuth?: boolean;
  /** With a certificate that nobody has signed. */
  tls?: 'none' | 'starttls' | 'from_the_start';
}

export async function createFakeSmtp(options: FakeSmtpOptions = {}): Promise<FakeSmtp> {
  const { pipelining = true, sizeMax, needsAuth = false, tls = 'none' } = options;
  const ledger: Accepted[] = [];
  const commands: string[] = [];
  const sockets = new Map<number, Socket>();
  let lies: Lies = {};
  let opened = 0;

  const socketOf = (session: SMTPServerSession) => sockets.get(session.remotePort);
  const connectionOf = (session: SMTPServerSession) =>
    [...server.connections].find(({ id }) => id === session.id);

  /** Answers a step as the rule wants it; without one the step goes on. */
  function obey(lie: Reply | 'drop' | 'hang' | undefined, session: SMTPServerSession, next: Next): void {
    if (lie === undefined) next();
    else if (lie === 'drop') socketOf(session)?.destroy();
    else if (lie !== 'hang') next(replyError(lie));
  }

  /** smtp-server has no hook between DATA and 354. */
  function lieAboutData(session: SMTPServerSession): void {
    const connection = connectionOf(session);
    if (!connection) return;
    const usual = Object.getPrototypeOf(connection).handler_DATA;
    connection.handler_DATA = (command, done) => {
      const { data } = lies;
      if (data === undefined) return usual.call(connection, command, done);
      if (data === 'hang') return;
      if (data === 'drop') socketOf(session)?.destroy();
      else connection.send(Number(data.slice(0, 3)), data.slice(4));
      done();
    };
  }

  const server = new SMTPServer({
    name: 'mail.test',
    logger: false,
    disabledCommands: tls === 'starttls' ? [] : ['STARTTLS'],
    secure: tls === 'from_the_start',
    authOptional: !needsAuth,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    hideENHANCEDSTATUSCODES: true, // Replies stand in the rules as they are to be sent.
    hidePIPELINING: !pipelining,
    ...(sizeMax !== undefined && { size: sizeMax }),
    onConnect(session, next) {
      if (typeof lies.connect === 'object') setTimeout(next, lies.connect.lateMs);
      else obey(lies.connect, session, next);
    },
    onAuth(auth, session, next) {
      commands.push('AUTH');
      if (lies.auth === undefined && auth.password !== password) return next(replyError('535 5.7.8 No'));
      obey(lies.auth, session, (error) => next(error, { user: auth.username }));
    },
    onMailFrom({ address }, session, next) {
      commands.push(`MAIL ${address}`);
      obey(lies.mail, session, next);
    },
    onRcptTo({ address }, session, next) {
      commands.push(`RCPT ${address}`);
      lieAboutData(session);
      obey(lies.rcpt, session, next);
    },
    onData: receive,
  });

  function receive(stream: SMTPServerDataStream, session: SMTPServerSession, done: Next): void {
    const chunks: Buffer[] = [];
    const { content, afterDot } = lies;
    let octets = 0;
    let isLying = content !== undefined;
    const lieInContent = () => {
      if (!isLying || !content || octets < content.afterOctets) return;
      isLying = false;
      if (content.does === 'drop') socketOf(session)?.destroy();
      else if (content.does === 'stall') socketOf(session)?.pause();
      else connectionOf(session)?.send(Number(content.does.slice(0, 3)), content.does.slice(4));
    };
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      octets += chunk.length;
      lieInContent();
    });
    stream.on('end', () => {
      if (octets === 0 || (content && !isLying)) return;
      const { envelope, user } = session;
      const accept = () =>
        ledger.push({
          from: envelope.mailFrom ? envelope.mailFrom.address : '',
          to: envelope.rcptTo.map(({ address }) => address),
          user: typeof user === 'string' ? user : null,
          isSecure: session.secure,
          raw: Buffer.concat(chunks),
        });
      if (afterDot === undefined || typeof afterDot === 'object' || afterDot.startsWith('accept')) accept();
      if (typeof afterDot === 'object') setTimeout(done, afterDot.acceptLateMs);
      else if (afterDot === undefined) done();
      else if (afterDot.endsWith('drop')) socketOf(session)?.destroy();
      else if (!afterDot.endsWith('hang')) done(replyError(afterDot));
    });
    stream.on('error', () => {});
    lieInContent();
  }

  server.on('error', () => {});
  server.server.on('connection', (socket) => {
    const port = socket.remotePort ?? 0;
    opened += 1;
    sockets.set(port, socket);
    socket.once('close', () => sockets.delete(port));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;

  const scheme = tls === 'from_the_start' ? 'smtps' : 'smtp';

  async function hangUp(): Promise<void> {
    const closing = [...sockets.values()].map(
      (socket) =>
        new Promise<void>((resolve) => {
          socket.once('close', () => resolve());
          socket.destroy();
        }),
    );
    await Promise.all(closing);
  }

  return {
    url: `${scheme}://ana:${encodeURIComponent(password)}@127.0.0.1:${port}`,
    plainUrl: `${scheme}://127.0.0.1:${port}`,
    port,
    lie: (next) => {
      lies = next;
    },
    ledger,
    mails: () => Promise.all(ledger.map(({ raw }) => PostalMime.parse(raw))),
    opened: () => opened,
    open: () => sockets.size,
    commands,
    freeze: () => {
      for (const socket of sockets.values()) socket.pause();
    },
    hangUp,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await hangUp();
      await closed;
    },
  };
}

type Next = (error?: Error | null) => void;

const password = 'p@ss/w:rd';

function replyError(reply: string): Error {
  return Object.assign(new Error(reply.slice(4)), { responseCode: Number(reply.slice(0, 3)) });
}
