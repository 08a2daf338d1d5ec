import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Certificates {
  /** The authority's certificate, in PEM. */
  readonly ca: string;
  /** Certificate of a server, signed by the authority. */
  readonly cert: string;
  readonly key: string;
}

/** A certificate authority and a server certificate for these names. */
export function makeCertificates(names = 'DNS:vendor.test,IP:127.0.0.1'): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'exai-ca-'));
  const at = (file: string) => join(folder, file);
  const openssl = (...args: string[]) =>
    execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'ignore', 'ignore'] });
  const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  try {
    openssl(
      'req',
      '-x509',
      ...ec,
      '-keyout',
      'ca.key',
      '-out',
      'ca.pem',
      '-days',
      '30',
      '-subj',
      '/CN=Test authority',
    );
    openssl(
      'req',
      ...ec,
      '-keyout',
      'server.key',
      '-out',
      'server.csr',
      '-subj',
      '/CN=vendor.test',
    );
    writeFileSync(at('names'), `subjectAltName=${names}\n`);
    openssl(
      'x509',
      '-req',
      '-in',
      'server.csr',
      '-CA',
      'ca.pem',
      '-CAkey',
      'ca.key',
      '-CAcreateserial',
      '-out',
      'server.pem',
      '-days',
      '30',
      '-extfile',
      'names',
    );
    const read = (file: string) => readFileSync(at(file), 'utf8');
    return { ca: read('ca.pem'), cert: read('server.pem'), key: read('server.key') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
