import { expect, it } from 'vitest';
import { isDatabaseAway } from './is-database-away.ts';

const coded = (code: string, message = 'some words') => Object.assign(new Error(message), { code });

it.each([
  ['nobody listens', coded('ECONNREFUSED')],
  ['a connection was cut', coded('ECONNRESET')],
  ['the other end is gone', coded('EPIPE')],
  ['an operator ends it', coded('57P01')],
  ['it has crashed', coded('57P02')],
  ['it is starting', coded('57P03')],
  ['a connection exception', coded('08006')],
  ['too many connections', coded('53300')],
  ['the driver lost it', new Error('Connection terminated unexpectedly')],
  ['the pool got none in time', new Error('timeout exceeded when trying to connect')],
  ['it has gone silent', new Error('the database has not answered for 60 s')],
])('the database is away: %s', (_, error) => expect(isDatabaseAway(error)).toBe(true));

it.each([
  ['a statement that is wrong', coded('42P01')],
  ['a value that is wrong', coded('22P02')],
  ['a row that is there already', coded('23505')],
  ['a deadlock', coded('40P01')],
  ['an ordinary bug', new TypeError('x is not a function')],
  ['what is no error', 'ECONNREFUSED'],
  ['nothing', undefined],
])('the database is not to blame for %s', (_, error) => expect(isDatabaseAway(error)).toBe(false));
