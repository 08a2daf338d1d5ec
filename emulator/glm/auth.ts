import { createHmac, timingSafeEqual } from 'node:crypto';
import { isObject } from '../is-object.ts';
import type { GlmError } from './errors.ts';

/** The secret of every emulated key when it signs a JSON web token: the key is `<id>.secret`. */
export const JWT_SECRET = 'secret';

/** What the beginning of a key's id stands for. */
const MARKED: readonly (readonly [
  start: string,
  error: GlmError,
  path: 'any' | 'coding' | 'standard',
])[] = [
  ['wrong', { code: '1004' }, 'any'],
  ['expired', { code: '1003' }, 'any'],
  // Of the other host: this one has never heard of it.
  ['other', { code: '1004' }, 'any'],
  ['inactive', { code: '1110' }, 'any'],
  ['locked', { code: '1112' }, 'any'],
  ['poor', { code: '1113' }, 'any'],
  ['unplanned', { code: '1309' }, 'coding'],
  // A Coding Plan without a balance.
  ['planned', { code: '1113' }, 'standard'],
];

/** The id of the key that asks, or why it may not. */
export function authenticate(
  header: string | undefined,
  path: 'standard' | 'coding',
  nowMs: number,
): { readonly keyId: string } | { readonly error: GlmError } {
  if (header === undefined || header === '') return { error: { code: '1001' } };
  const token = /^bearer\s+(\S+)$/i.exec(header)?.[1] ?? header;
  const pieces = token.split('.');
  if (pieces.length === 3) return readJwt(pieces as [string, string, string], nowMs);
  const [id = '', secret = ''] = pieces;
  if (pieces.length !== 2 || id === '' || secret === '') return { error: { code: '1002' } };
  return admit(id, path);
}

function admit(
  id: string,
  path: 'standard' | 'coding',
): { readonly keyId: string } | { readonly error: GlmError } {
  for (const [start, error, where] of MARKED)
    if (id.startsWith(start) && (where === 'any' || where === path)) return { error };
  return { keyId: id };
}

function readJwt(
  [head, payload, signature]: readonly [string, string, string],
  nowMs: number,
): { readonly keyId: string } | { readonly error: GlmError } {
  const header = decode(head);
  const claims = decode(payload);
  if (
    !isObject(header) ||
    header['alg'] !== 'HS256' ||
    header['sign_type'] !== 'SIGN' ||
    !isObject(claims)
  )
    return { error: { code: '1002' } };
  const { api_key: id, exp, timestamp } = claims;
  if (typeof id !== 'string' || typeof exp !== 'number' || typeof timestamp !== 'number')
    return { error: { code: '1002' } };
  const expected = createHmac('sha256', JWT_SECRET).update(`${head}.${payload}`).digest();
  const given = Buffer.from(signature, 'base64url');
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    return { error: { code: '1004' } };
  // Milliseconds: a token that counts seconds expired decades ago.
  if (exp <= nowMs) return { error: { code: '1003' } };
  return admit(id, 'standard');
}

function decode(piece: string): unknown {
  try {
    return JSON.parse(Buffer.from(piece, 'base64url').toString('utf8')) as unknown;
  } catch {
    // Whatever it is, it is not a token of this vendor.
    return undefined;
  }
}
