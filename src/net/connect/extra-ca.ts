import { X509Certificate } from 'node:crypto';
import * as tls from 'node:tls';
import { CallError } from '#core/errors/call-error.ts';
import { fix } from '#core/messages/fixes.ts';

const CERTIFICATE =
  /-----BEGIN (?:TRUSTED )?CERTIFICATE-----[^-]*-----END (?:TRUSTED )?CERTIFICATE-----/g;
const FIX = fix('set_setting', {
  setting: 'network.caFile',
  variable: 'EXAI_CA_FILE',
  value: 'a file with certificates in PEM, which begin with -----BEGIN CERTIFICATE-----',
});

/** Checks the certificates of `network.caFile`. Node would silently ignore invalid ones. */
export function checkCa(pem: string): void {
  const certificates = pem.match(CERTIFICATE) ?? [];
  if (certificates.length === 0) throw refused('holds no certificate in PEM');
  for (const [at, certificate] of certificates.entries()) {
    try {
      // Strict, where Node ignores errors in `ca`; a TLS context would cost four times as much.
      void new X509Certificate(certificate);
    } catch (error) {
      throw refused(`holds a certificate that cannot be read, number ${at + 1}`, error);
    }
  }
}

/** Node's trusted certificates and these. */
export function trustedCertificates(pem: string): string[] {
  return [...usualCertificates(), pem];
}

/**
 * Node's default certificates; newer versions include those of the system and of
 * NODE_EXTRA_CA_CERTS.
 */
function usualCertificates(): readonly string[] {
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => string[] };
  return getCACertificates?.('default') ?? tls.rootCertificates;
}

function refused(what: string, cause?: unknown): CallError {
  return new CallError('validation', `The file of network.caFile ${what}.`, {
    field: 'network.caFile',
    fixes: [FIX],
    cause,
  });
}
