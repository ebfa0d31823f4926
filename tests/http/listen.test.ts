import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import Fastify from 'fastify';
import { describe, expect, test } from 'vitest';
import { answerBadRequest } from '../../src/http/errors.ts';
import { listen, requireFreePort } from '../../src/http/listen.ts';
import { createManualClock, systemClock } from '../../src/std/clock.ts';

const here = { host: '127.0.0.1', port: 0 };

describe('listen', () => {
  test('tells the real port', async () => {
    const { url, close } = await listen(Fastify(), here, systemClock);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d+$/);
    await close();
  });

  test('a port in use is the user’s to change', async () => {
    const { url, close } = await listen(Fastify(), here, systemClock);
    const port = Number(new URL(url).port);
    await expect(listen(Fastify(), { ...here, port }, systemClock)).rejects.toMatchObject({
      code: 'port_in_use',
      message: expect.stringContaining(`Port ${port} on 127.0.0.1 is in use`),
    });
    await close();
  });

  test.each([
    ['a Tidings', { status: 'ok', database: '4f2a' }, 'A Tidings already serves there: open '],
    ['something else that is well', { status: 'ok' }, 'is in use by another program'],
    ['something else', 'hello', 'is in use by another program'],
  ])('a port in use by %s is told as such', async (_, answer, sentence) => {
    const other = Fastify().get('/health', async () => answer);
    const { url, close } = await listen(other, here, systemClock);
    const port = Number(new URL(url).port);
    const refusal = { code: 'port_in_use', message: expect.stringContaining(sentence) };
    await expect(requireFreePort({ ...here, port })).rejects.toMatchObject(refusal);
    await expect(listen(Fastify(), { ...here, port }, systemClock)).rejects.toMatchObject(refusal);
    await close();
  });

  test('a program that takes the port and answers nothing holds nobody up', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    await expect(requireFreePort({ ...here, port })).rejects.toMatchObject({
      message: expect.stringContaining('is in use by another program'),
    });
    silent.close();
  });

  test('an address of another machine is the user’s to change', async () => {
    const elsewhere = { host: '192.0.2.1', port: 0 }; // RFC 5737: nobody has it.
    await expect(listen(Fastify(), elsewhere, systemClock)).rejects.toMatchObject({
      code: 'host_unavailable',
    });
  });

  test('a request that does not end is cut off three seconds into the stop', async () => {
    const clock = createManualClock();
    const server = Fastify();
    let tellAsked = () => {};
    const isAsked = new Promise<void>((resolve) => {
      tellAsked = resolve;
    });
    server.get('/', () => {
      tellAsked();
      return new Promise(() => {});
    });
    const { url, close } = await listen(server, here, clock);
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    await isAsked;
    const isCut = once(socket, 'close');
    let isClosed = false;
    const closed = close().then(() => {
      isClosed = true;
    });
    await clock.advance(2_999);
    expect(isClosed).toBe(false);
    await clock.advance(1);
    await Promise.all([closed, isCut]);
  });

  test('what is no HTTP gets an error in our shape, and no connection', async () => {
    const server = Fastify({ clientErrorHandler: answerBadRequest });
    const { url, close } = await listen(server, here, systemClock);
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write('garbage\r\n\r\n');
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    await once(socket, 'close');
    const [head = '', body = ''] = text.split('\r\n\r\n');
    expect(head).toContain('HTTP/1.1 400 Bad Request');
    expect(JSON.parse(body)).toMatchObject({ code: 'bad_request', traceId: expect.any(String) });
    await close();
  });
});
