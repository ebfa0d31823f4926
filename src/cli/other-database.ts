import type { ServerThere } from '../http/server-there.ts';

/** A command works with the database itself, and where the settings of its terminal are not those of the server's, with another one. */
export const otherDatabase = ({ url }: ServerThere) =>
  `The server at ${url} works with another database than this command: give the command the server's DATABASE_URL and other settings too, or put them into .env, which both read.`;
