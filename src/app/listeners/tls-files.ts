import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { readFileSync, statSync, type Stats } from 'node:fs';
import type { Config } from '#config/schema/config.schema.ts';
import { checkOwnership } from '#config/home/path-permissions.ts';
import { describeUser } from '#config/home/user-name.ts';
import { CallError } from '#core/errors/call-error.ts';
import { commandFix, fix } from '#core/messages/fixes.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import { shellQuote } from '#core/text/text.ts';
import { every, type Clock, type Timer } from '#core/time/clock.ts';
import type { ListenerTls } from '#transport/http/listener.ts';

/** The daemon's certificate and key, read and validated. */
export interface LoadedTls extends ListenerTls {
  /** The certificate in PEM, without its chain. */
  readonly leaf: string;
  readonly validToMs: number;
  /** Whether the certificate is valid for this IP address. */
  covers(address: string): boolean;
}

type TlsField = 'tls.cert' | 'tls.key';

const MAX_BYTES = 1_048_576;
const READ_BY_OTHERS = 0o004;
const FIRST_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/;

/** Undefined if no certificate is configured; throws if it is invalid. */
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

/** Identifies the file version, to detect renewals. */
function tlsFingerprint({ cert, key }: Config['tls']): string {
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

/**
 * The group may read the key, as the certificate tools of some systems arrange; others may not, and
 * only its owner may write it.
 */
function checkPrivate(stats: Stats, path: string): void {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  if (uid === undefined || gid === undefined) return;
  const fault = checkOwnership(stats, 'own', { uid, gid });
  if (fault === 'foreign') {
    throw wrong('tls.key', path, `belongs to ${describeUser(stats.uid)}`, 'permission');
  }
  if (fault === undefined && (stats.mode & READ_BY_OTHERS) === 0) return;
  throw new CallError('permission', `The private key ${path} (tls.key) is open to other users.`, {
    field: 'tls.key',
    fixes: [commandFix(`chmod 600 ${shellQuote(path)}`)],
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

const LOOK_MS = 60_000;

interface TlsWatch {
  readonly files: Config['tls'];
  readonly clock: Clock;
  readonly log: Log;
  readonly onRenewed: (tls: LoadedTls) => void;
}

/**
 * Loads a renewed certificate without a restart. An invalid one is logged, and the old one stays in
 * use.
 */
export function watchTls({ files, clock, log, onRenewed }: TlsWatch): Timer {
  let known = tlsFingerprint(files);
  return every(clock, LOOK_MS, () => {
    try {
      const found = tlsFingerprint(files);
      if (found === known) return;
      known = found;
      const tls = loadTls(files, clock.now());
      if (!tls) return;
      onRenewed(tls);
      log.info('certificate_renewed', { valid_to: new Date(tls.validToMs).toISOString() });
    } catch (thrown) {
      log.warn('certificate_not_renewed', { error: CallError.from(thrown).toJSON() });
    }
  });
}
