import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import type { UpstreamConfig } from '#core/hub/upstream-config.ts';
import { signingOf } from './client-signing.ts';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const curve = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).privateKey;

const configOf = (clientKey: string) =>
  ({ clientId: 'one', clientKey }) as unknown as UpstreamConfig;

async function algorithmOf(clientKey: string): Promise<unknown> {
  const form = new URLSearchParams();
  await signingOf('notes', configOf(clientKey))?.(new Headers(), form, 'https://as.example/token');
  const [head = ''] = (form.get('client_assertion') ?? '').split('.');
  return (JSON.parse(Buffer.from(head, 'base64url').toString()) as { alg: unknown }).alg;
}

test.each([
  ['RSA', 'RS256', rsa.export({ type: 'pkcs8', format: 'pem' })],
  ['RSA in its older form', 'RS256', rsa.export({ type: 'pkcs1', format: 'pem' })],
  ['P-256', 'ES256', curve('prime256v1').export({ type: 'pkcs8', format: 'pem' })],
  ['P-256 in its older form', 'ES256', curve('prime256v1').export({ type: 'sec1', format: 'pem' })],
  ['P-384', 'ES384', curve('secp384r1').export({ type: 'pkcs8', format: 'pem' })],
  ['P-521', 'ES512', curve('secp521r1').export({ type: 'pkcs8', format: 'pem' })],
])('a key of %s signs with %s', async (_what, algorithm, pem) => {
  expect(await algorithmOf(pem.toString())).toBe(algorithm);
});

test('what is no key is an error that names the setting', () => {
  expect(() => signingOf('notes', configOf('-----BEGIN RSA PRIVATE KEY-----\nAAAA'))).toThrow(
    expect.objectContaining({ class: 'not_configured', field: 'mcpServers.notes.clientKey' }),
  );
  expect(signingOf('notes', configOf(''))).toBeUndefined();
});
