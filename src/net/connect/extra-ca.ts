import * as tls from 'node:tls';
import { CallError } from '#core/call-error.ts';
import { fix } from '#core/messages/fixes.ts';

const CERTIFICATE =
  /-----BEGIN (?:TRUSTED )?CERTIFICATE-----[^-]*-----END (?:TRUSTED )?CERTIFICATE-----/g;
const FIX = fix('set_setting', {
  setting: 'network.caFile',
  variable: 'EXAI_CA_FILE',
  value: 'a file with certificates in PEM, which begin with -----BEGIN CERTIFICATE-----',
});

/** Refuses what Node would silently ignore. */
export function checkCa(pem: string): void {
  const certificates = pem.match(CERTIFICATE) ?? [];
  if (certificates.length === 0) throw refused('holds no certificate in PEM');
  for (const [at, certificate] of certificates.entries()) {
    try {
      // As one's own certificate it must be readable; as an authority's it need not.
      tls.createSecureContext({ cert: certificate });
    } catch (error) {
      throw refused(`holds a certificate that cannot be read, number ${at + 1}`, error);
    }
  }
}

/** Node's own authorities and these. */
export function trustedCertificates(pem: string): string[] {
  return [...usualCertificates(), pem];
}

/** What Node trusts by itself includes the system's and NODE_EXTRA_CA_CERTS, where it can tell. */
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
