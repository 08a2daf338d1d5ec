import { createPrivateKey, type KeyObject } from 'node:crypto';
import {
  createPrivateKeyJwtAuth,
  type AddClientAuthentication,
} from '@modelcontextprotocol/client';
import { codedError } from '#core/errors/coded-error.ts';
import type { UpstreamConfig } from '#core/hub/upstream-config.ts';
import { reason } from '#core/messages/reasons.ts';

/** How a client with a key of its own authenticates. */
export function signingOf(
  server: string,
  { clientId = '', clientKey = '' }: UpstreamConfig,
): AddClientAuthentication | undefined {
  if (clientKey === '') return undefined;
  const { alg, privateKey } = readKey(server, clientKey);
  return createPrivateKeyJwtAuth({ issuer: clientId, subject: clientId, privateKey, alg });
}

/** Signatures by the curve of a key. */
const CURVES: Readonly<Record<string, string>> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
};

/** The key in the form that the SDK reads, and how it signs. */
function readKey(server: string, pem: string): { alg: string; privateKey: string } {
  const key = keyIn(pem);
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key ?? {};
  const alg = type === 'rsa' ? 'RS256' : CURVES[details?.namedCurve ?? ''];
  if (!key || alg === undefined) {
    throw codedError(
      'not_configured',
      reason('server_login_failed', {
        server,
        problem:
          'clientKey of its settings is not a private key of RSA or a curve of ES256, ES384 or ES512',
      }),
      { field: `mcpServers.${server}.clientKey`, fix: 'Give the private key in PEM.' },
    );
  }
  return { alg, privateKey: key.export({ type: 'pkcs8', format: 'pem' }).toString() };
}

function keyIn(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}
