import { readFileSync } from 'node:fs';
import { CallError } from '#core/call-error.ts';
import { fix } from '#core/messages/fixes.ts';

/** The certificates of `network.caFile`; none without one. A file that cannot be used is told before anything is sent: without it every connection would fail. */
export async function readCaFile(path: string): Promise<string> {
  if (path === '') return '';
  try {
    const { checkCa } = await import('#net/connect/extra-ca.ts');
    const pem = readFileSync(path, 'utf8');
    checkCa(pem);
    return pem;
  } catch (thrown) {
    const { message } = CallError.from(thrown);
    throw new CallError(
      'validation',
      `The certificates of network.caFile are unusable: ${message}`,
      {
        field: 'network.caFile',
        fixes: [
          fix('set_setting', {
            setting: 'EXAI_CA_FILE',
            value: 'a readable file of certificates in PEM',
          }),
          fix('unset_setting', { setting: 'EXAI_CA_FILE and NODE_EXTRA_CA_CERTS' }),
        ],
        cause: thrown,
      },
    );
  }
}
