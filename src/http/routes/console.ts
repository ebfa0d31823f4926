import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { Type } from 'typebox';
import { packageFolder } from '../../std/package-folder.ts';
import { Refusal } from '../../std/refusal.ts';
import { defineRoute, type Route } from '../route.ts';
import { closed, nothing } from '../schemas.ts';

/**
 * The console's own files, as they were built: a page without a word of anybody in it, and scripts and styles whose names change with their
 * content. What it shows, it asks the API for, with the cookie of who has signed in.
 */
export interface ConsoleFiles {
  /** The page behind every address of the console. Undefined where nobody has built it. */
  page: string | undefined;
  assets: ReadonlyMap<string, { type: string; bytes: Buffer }>;
}

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

export function readConsole(folder: URL = new URL('dist/console/', packageFolder)): ConsoleFiles {
  const page = new URL('index.html', folder);
  if (!existsSync(page)) return { page: undefined, assets: new Map() };
  const assets = new URL('assets/', folder);
  return {
    page: readFileSync(page, 'utf8'),
    assets: new Map(
      readdirSync(assets).flatMap((name) => {
        const type = types[extname(name)];
        return type ? [[name, { type, bytes: readFileSync(new URL(name, assets)) }]] : [];
      }),
    ),
  };
}

/** Its own scripts and nobody else's; a mail is shown in a frame that may do nothing. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function consolePage({ page }: ConsoleFiles) {
  if (page === undefined)
    throw new Refusal(
      'console_not_built',
      'The console has not been built. Run npm run build, and start the server again.',
    );
  const headers = { 'content-security-policy': policy };
  return { status: 200, body: page, type: 'text/html; charset=utf-8', headers };
}

/** Where people look for what the console shows elsewhere, by the command that lists the same. */
const shortcut = (name: 'inbox' | 'deliveries') =>
  defineRoute({
    ...{ method: 'GET' as const, path: `/${name}`, who: 'anybody' as const, isConstant: true as const },
    summary: 'To the page of the console with the same name',
    answers: { 303: { when: 'The page is in the console.', type: null } },
    handle: async () => ({ status: 303, body: '', headers: { location: `/console/${name}` } }),
  });

export function consoleRoutes(files: ConsoleFiles): Route[] {
  const page = (path: string, summary: string) =>
    defineRoute({
      ...{ method: 'GET' as const, path, summary, who: 'anybody' as const, isConstant: true as const },
      answers: { 200: { when: 'A page.', type: 'text/html' } },
      refusals: { 503: 'It has not been built.' },
      handle: async () => consolePage(files),
    });
  return [
    page('/console', 'The console'),
    page('/console/*', 'Whatever page of the console'),
    shortcut('inbox'),
    shortcut('deliveries'),
    defineRoute({
      method: 'GET',
      path: '/console/assets/:name',
      summary: 'A script or a style of the console',
      who: 'anybody',
      isConstant: true,
      params: Type.Object({ name: Type.String({ maxLength: 200 }) }, closed),
      query: nothing,
      answers: { 200: { when: 'The file.', type: 'text/javascript' } },
      refusals: { 404: 'There is no such file.' },
      async handle({ params: { name } }) {
        const file = files.assets.get(name);
        if (!file)
          throw new Refusal(
            'console_file_not_found',
            'There is no such file. The console may have been built anew: load the page again.',
          );
        // For ever: another content has another name.
        const headers = { 'cache-control': 'public, max-age=31536000, immutable' };
        return { status: 200, body: file.bytes, type: file.type, headers };
      },
    }),
  ];
}
