import type { IncomingHttpHeaders } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import type { Credentials } from '#core/auth/authenticator.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { verifies } from '../../../test/verifies.ts';
import type { HttpContext } from '../http/http-context.ts';
import { createReceiveBuffers } from '../http/receive-buffers.ts';
import { authenticateApiKey, readJsonBody, type JsonBody } from './request.ts';

const OWNER = { principal: 'local', scopes: ['*'], roots: [] };

function contextWith(headers: IncomingHttpHeaders, body = ''): HttpContext {
  const request = Object.assign(new PassThrough(), { headers, socket: {} });
  request.end(body);
  return { request, isOpen: true } as unknown as HttpContext;
}

/** An authenticator with or without a token. */
function authenticator(token?: string) {
  const shown: (string | undefined)[] = [];
  return {
    shown,
    async authenticate(arrival: Credentials) {
      shown.push(arrival.token);
      if (arrival.token === token) return OWNER;
      throw new CallError('auth', 'No.');
    },
  };
}

describe('a key', () => {
  verifies(
    'gateway:keys',
    'is taken from either header, and “none” and “local” are placeholders',
    async () => {
      const open = authenticator();
      await authenticateApiKey(contextWith({}), open);
      await authenticateApiKey(contextWith({ authorization: 'Bearer none' }), open);
      await authenticateApiKey(contextWith({ 'x-api-key': 'local' }), open);
      await authenticateApiKey(contextWith({ 'x-api-key': '' }), open);
      expect(open.shown).toEqual([undefined, undefined, undefined, undefined]);
      const closed = authenticator('real');
      await authenticateApiKey(contextWith({ authorization: 'Bearer real' }), closed);
      await authenticateApiKey(contextWith({ 'x-api-key': 'real' }), closed);
      await authenticateApiKey(
        contextWith({ authorization: 'Bearer local', 'x-api-key': 'real' }),
        closed,
      );
      expect(closed.shown).toEqual(['real', 'real', 'real']);
    },
  );

  test.each([
    [{}, 'authorization', 'The API key is missing.'],
    [{ 'x-api-key': 'x' }, 'x-api-key', 'Invalid API key.'],
    [
      { authorization: 'Bearer none' },
      'authorization',
      'The API key is required; "none" is a placeholder',
    ],
    [
      { authorization: 'Bearer local' },
      'authorization',
      'The API key is required; "local" is a placeholder',
    ],
  ])('that is none is refused by its header: %j', async (headers, field, message) => {
    await expect(
      authenticateApiKey(contextWith(headers), authenticator('real')),
    ).rejects.toMatchObject({
      class: 'auth',
      field,
      message: expect.stringContaining(message) as string,
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
    receiveBuffers: createReceiveBuffers({ maxBytes: 10_000_000, clock: createFakeClock() }),
  };
  return new Promise<JsonBody | CallError>((resolve) => {
    readJsonBody(contextWith(headers, body), OWNER, limits, resolve);
  });
}

describe('a body', () => {
  test('is JSON, with a byte order mark or without', async () => {
    expect(await posted('{"a":1}')).toMatchObject({ body: { a: 1 } });
    expect(await posted('\uFEFF{"a":1}')).toMatchObject({ body: { a: 1 } });
  });

  test('that is not JSON is rejected without quoting it', async () => {
    const error = (await posted('{"secret')) as CallError;
    expect(error).toMatchObject({ class: 'bad_request', field: 'body' });
    expect(error.message).not.toContain('secret');
    expect(await posted('{}', { 'content-type': 'text/plain' })).toMatchObject({
      class: 'bad_request',
      field: 'content-type',
    });
  });

  test('with too many parts is too large, not malformed', async () => {
    expect(await posted(`[${'1,'.repeat(300_000)}1]`)).toMatchObject({ class: 'too_large' });
  });
});
