import * as z from 'zod';
import { isUrl } from '#core/net/is-url.ts';
import { AT_RELOAD, settingMeta } from '../setting-meta.ts';
import { line, list, optionalPath as path, section, trueOrFalse } from '../fields.schema.ts';

const PROXY = 'must be empty, or the address of a proxy such as http://proxy.example:3128';
const PLACE = 'must be a host and a port, such as wiki.example:8080 or [::1]:8080';

/** A proxy URL. Many systems write it without http://. */
const proxy = z
  .string({ error: 'must be text in double quotes' })
  .trim()
  .max(4096, { error: PROXY })
  .overwrite((value) => (value === '' || value.includes('://') ? value : `http://${value}`))
  .refine(isProxy, { error: PROXY });

const hostAndPort = line.regex(/^(?:[\w.-]{1,253}|\[[\da-fA-F:.]{2,45}\]):\d{1,5}$/, {
  error: PLACE,
});

/** How this machine reaches the network. */
export const network = section({
  offline: trueOrFalse
    .default(false)
    .describe(
      'Whether no request leaves this machine. `true`: providers, web pages and trace receivers are refused, except at addresses of this machine such as localhost. A PostgreSQL store is not affected.',
    )
    .register(settingMeta, { applies: AT_RELOAD, env: ['EXAI_OFFLINE'] }),
  httpsProxy: proxy
    .default('')
    .describe('The proxy for https:// addresses; it may hold a user and a password.')
    .register(settingMeta, {
      applies: AT_RELOAD,
      env: ['HTTPS_PROXY', 'https_proxy'],
      secret: 'password',
    }),
  httpProxy: proxy
    .default('')
    .describe('The proxy for http:// addresses; it may hold a user and a password.')
    .register(settingMeta, {
      applies: AT_RELOAD,
      env: ['HTTP_PROXY', 'http_proxy'],
      secret: 'password',
    }),
  noProxy: line
    .default('')
    .describe(
      'What is reached without a proxy, separated by commas: names with all below them, addresses, networks such as 10.0.0.0/8, or * for everything. This machine always is.',
    )
    .register(settingMeta, { applies: AT_RELOAD, env: ['NO_PROXY', 'no_proxy'] }),
  caFile: path
    .default('')
    .describe('A file of certificates in PEM that are trusted besides the usual ones.')
    .register(settingMeta, { applies: AT_RELOAD, env: ['EXAI_CA_FILE', 'NODE_EXTRA_CA_CERTS'] }),
  allowPrivate: list(hostAndPort)
    .default([])
    .describe(
      'Addresses outside the public internet that may be read when a model or a caller names them, as host:port.',
    )
    .register(settingMeta, { applies: AT_RELOAD }),
  record: path
    .default('')
    .describe(
      'A folder to write all traffic with providers to, without keys. Empty: none is written.',
    )
    .register(settingMeta, { applies: AT_RELOAD, env: ['EXAI_RECORD'] }),
  replay: path
    .default('')
    .describe('A folder of recordings to replay instead of using the network.')
    .register(settingMeta, { applies: AT_RELOAD, env: ['EXAI_REPLAY'] }),
});

function isProxy(value: string): boolean {
  if (value === '') return true;
  if (!/^https?:\/\//i.test(value) || !isUrl(value)) return false;
  const { hostname, pathname, search } = new URL(value);
  return hostname !== '' && pathname === '/' && search === '';
}
