import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

/**
 * A registry on loopback in which every package is there, and empty. So npm installs for real and without a network, and whatever
 * runs afterwards needs none of these packages.
 */
export interface StubRegistry {
  url: string;
  /** Which packages were asked for. */
  asked: Set<string>;
  close(): Promise<void>;
}

export async function startStubRegistry(versions: Readonly<Record<string, string>>): Promise<StubRegistry> {
  const asked = new Set<string>();
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(1);
    const name = path.replace(/\/-\/stub\.tgz$/, '');
    const version = versions[name];
    if (version === undefined) return response.writeHead(404).end('{}');
    const manifest = { name, version };
    if (path !== name) return response.end(packed('package/package.json', JSON.stringify(manifest)));
    asked.add(name);
    const dist = { tarball: `http://${request.headers.host}/${name}/-/stub.tgz` };
    const known = { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } };
    return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(known));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const block = 512;

/** A tar file with one file in it, as POSIX has it (ustar). */
function packed(path: string, text: string): Buffer {
  const content = Buffer.from(text);
  const header = Buffer.alloc(block);
  header.write(path, 0);
  header.write('0000644\0', 100);
  header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  header.write('        ', 148); // The sum is made with blanks in its place.
  header.write('0', 156);
  header.write('ustar\0' + '00', 257);
  const sum = header.reduce((total, octet) => total + octet, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  const padding = Buffer.alloc((block - (content.length % block)) % block);
  return gzipSync(Buffer.concat([header, content, padding, Buffer.alloc(2 * block)]));
}
