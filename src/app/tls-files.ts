import { X509Certificate, createPrivateKey, type KeyObject } from 'node:crypto';
import { readFileSync, statSync, type Stats } from 'node:fs';
import type { Config } from '#config/config.schema.ts';
import { judgeOwnership } from '#config/path-trust.ts';
import { describeUser } from '#config/user-name.ts';
import { CallError } from '#core/call-error.ts';
import { command, fix } from '#core/messages/fixes.ts';
import { shellQuote } from '#core/shell-quote.ts';
import type { ListenerTls } from '#transport/http/listener.ts';

/** What the daemon shows who connects, read and checked. */
export interface LoadedTls extends ListenerTls {
  /** The certificate itself in PEM, without those that vouch for it. */
  readonly leaf: string;
  readonly validToMs: number;
  /** Whether the certificate is for this address, by number. */
  covers(address: string): boolean;
}

type TlsField = 'tls.cert' | 'tls.key';

const MAX_BYTES = 1_048_576;
const READ_BY_OTHERS = 0o004;
const FIRST_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/;

/** Nothing where no certificate is set; throws what is wrong with one that is. */
export function loadTls({ cert, key }: Config['tls'], nowMs: number): LoadedTls | undefined {
  if (cert === '' && key === '') return undefined;
  if (cert === '' || key === '') throw incomplete(cert === '' ? 'tls.cert' : 'tls.key');
  const certPem = readFile(cert, 'tls.cert');
  const keyPem = readFile(key, 'tls.key', checkPrivate);
  const { certificate, leaf } = readCertificate(certPem, cert);
  const [from, to] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
  if (nowMs < from) throw wrong('tls.cert', cert, `is not valid before ${certificate.validFrom}`);
  if (nowMs > to) throw wrong('tls.cert', cert, `has expired on ${certificate.validTo}`);
  if (!certificate.checkPrivateKey(readKey(keyPem, key))) {
    throw wrong('tls.key', key, 'is not the private key of the certificate in tls.cert');
  }
  return {
    cert: certPem,
    key: keyPem,
    leaf,
    names: namesOf(certificate),
    validToMs: to,
    covers: (address) => certificate.checkIP(address) !== undefined,
  };
}

/** What tells a renewed file from the one that was read. */
export function tlsFingerprint({ cert, key }: Config['tls']): string {
  return [cert, key]
    .map((path) => {
      const found = path === '' ? undefined : statSync(path, { throwIfNoEntry: false });
      return found ? `${found.ino}:${found.size}:${found.mtimeMs}` : '-';
    })
    .join(' ');
}

function readFile(
  path: string,
  field: TlsField,
  check: (stats: Stats, path: string) => void = () => undefined,
): string {
  try {
    const stats = statSync(path);
    if (!stats.isFile() || stats.size > MAX_BYTES) throw wrong(field, path, 'is not a PEM file');
    check(stats, path);
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    const error = CallError.from(thrown);
    if (error.field === field) throw error;
    throw wrong(field, path, `cannot be read: ${error.message}`, error.class);
  }
}

/** A group may read it, as the certificate tools of some systems arrange; others may not, and nobody but its owner may change it. */
function checkPrivate(stats: Stats, path: string): void {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  if (uid === undefined || gid === undefined) return;
  const fault = judgeOwnership(stats, 'own', { uid, gid });
  if (fault === 'foreign') {
    throw wrong('tls.key', path, `belongs to ${describeUser(stats.uid)}`, 'permission');
  }
  if (fault === undefined && (stats.mode & READ_BY_OTHERS) === 0) return;
  throw new CallError('permission', `The private key ${path} (tls.key) is open to other users.`, {
    field: 'tls.key',
    fixes: [command(`chmod 600 ${shellQuote(path)}`)],
  });
}

function readCertificate(pem: string, path: string) {
  const leaf = FIRST_CERTIFICATE.exec(pem)?.[0];
  if (leaf === undefined) throw wrong('tls.cert', path, 'holds no certificate in PEM');
  try {
    return { certificate: new X509Certificate(leaf), leaf };
  } catch {
    throw wrong('tls.cert', path, 'holds a certificate that cannot be read');
  }
}

function readKey(pem: string, path: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    const isLocked = code === 'ERR_MISSING_PASSPHRASE' || pem.includes('ENCRYPTED');
    throw wrong(
      'tls.key',
      path,
      isLocked ? 'is locked by a password' : 'holds no private key in PEM',
    );
  }
}

function namesOf({ subjectAltName = '' }: X509Certificate): string[] {
  return [...subjectAltName.matchAll(/DNS:([^,\s"]+)/g)].map(([, name = '']) => name.toLowerCase());
}

const OTHER: Record<TlsField, string> = { 'tls.cert': 'tls.key', 'tls.key': 'tls.cert' };

function incomplete(field: TlsField): CallError {
  return new CallError('validation', `${OTHER[field]} is set and ${field} is not.`, {
    field,
    fix: 'Set both, or none for plain HTTP.',
  });
}

function wrong(
  field: TlsField,
  path: string,
  what: string,
  errorClass: CallError['class'] = 'validation',
): CallError {
  return new CallError(errorClass, `${path} (${field}) ${what}.`.replace(/\.\.$/, '.'), {
    field,
    fixes: [
      fix('set_setting', { setting: field, value: 'a file in PEM that this user can read' }),
      'docs/tls.md shows how to make one.',
    ],
  });
}
