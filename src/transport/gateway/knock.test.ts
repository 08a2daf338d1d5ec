import type { IncomingHttpHeaders } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { CallError } from '#core/call-error.ts';
import type { Arrival } from '#core/doorman.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { verifies } from '../../../test/verifies.ts';
import type { Exchange } from '../http/endpoint.ts';
import { createArriving } from '../http/arriving.ts';
import { identify, receive, type Posted } from './knock.ts';

const OWNER = { principal: 'local', scopes: ['*'], roots: [] };

function exchangeWith(headers: IncomingHttpHeaders, body = ''): Exchange {
  const request = Object.assign(new PassThrough(), { headers, socket: {} });
  request.end(body);
  return { request, isOpen: true } as unknown as Exchange;
}

/** A daemon that has a token, or none. */
function doorman(token?: string) {
  const shown: (string | undefined)[] = [];
  return {
    shown,
    async identify(arrival: Arrival) {
      shown.push(arrival.token);
      if (arrival.token === token) return OWNER;
      throw new CallError('auth', 'No.');
    },
  };
}

describe('a key', () => {
  verifies('gateway:keys', 'is taken from either header, and “local” is none', async () => {
    const open = doorman();
    await identify(exchangeWith({}), open);
    await identify(exchangeWith({ authorization: 'Bearer local' }), open);
    await identify(exchangeWith({ 'x-api-key': 'local' }), open);
    await identify(exchangeWith({ 'x-api-key': '' }), open);
    expect(open.shown).toEqual([undefined, undefined, undefined, undefined]);
    const closed = doorman('real');
    await identify(exchangeWith({ authorization: 'Bearer real' }), closed);
    await identify(exchangeWith({ 'x-api-key': 'real' }), closed);
    await identify(exchangeWith({ authorization: 'Bearer local', 'x-api-key': 'real' }), closed);
    expect(closed.shown).toEqual(['real', 'real', 'real']);
  });

  test.each([
    [{}, 'authorization', 'The API key is missing.'],
    [{ 'x-api-key': 'x' }, 'x-api-key', 'Invalid API key.'],
    [
      { authorization: 'Bearer local' },
      'authorization',
      'The API key is required; "local" is a placeholder',
    ],
  ])('that is none is refused by its header: %j', async (headers, field, words) => {
    await expect(identify(exchangeWith(headers), doorman('real'))).rejects.toMatchObject({
      class: 'auth',
      field,
      message: expect.stringContaining(words) as string,
    });
  });
});

function posted(
  body: string,
  headers: IncomingHttpHeaders = { 'content-type': 'application/json' },
) {
  const limits = {
    maxBytes: 10_000_000,
    setting: 'gateway.maxBodyBytes' as const,
    arriving: createArriving({ maxBytes: 10_000_000, clock: createFakeClock() }),
  };
  return new Promise<Posted | CallError>((resolve) => {
    receive(exchangeWith(headers, body), OWNER, limits, resolve);
  });
}

describe('a body', () => {
  test('is JSON, with a byte order mark or without', async () => {
    expect(await posted('{"a":1}')).toMatchObject({ body: { a: 1 } });
    expect(await posted('\uFEFF{"a":1}')).toMatchObject({ body: { a: 1 } });
  });

  test('that is no JSON is refused without a word of it', async () => {
    const error = (await posted('{"secret')) as CallError;
    expect(error).toMatchObject({ class: 'bad_request', field: 'body' });
    expect(error.message).not.toContain('secret');
    expect(await posted('{}', { 'content-type': 'text/plain' })).toMatchObject({
      class: 'bad_request',
      field: 'content-type',
    });
  });

  test('with more parts than anybody sends is too large, not broken', async () => {
    expect(await posted(`[${'1,'.repeat(300_000)}1]`)).toMatchObject({ class: 'too_large' });
  });
});
