import {
  ASK_MODEL,
  CALL_TOOL,
  FORBIDDEN,
  OPEN_SSE,
  withLines,
  written,
  type BrowserRow,
  type Rows,
} from './row.ts';

/**
 * What a browser writes as Host when a page of that name resolves to loopback, and forms that a
 * lenient reader takes for ours.
 */
export function foreignHosts(port: string): readonly string[] {
  return [
    'evil.example',
    `evil.example:${port}`,
    `rebind.evil.example:${port}`,
    `localhost.evil.example:${port}`,
    `127.0.0.1.evil.example:${port}`,
    `127.0.0.1.nip.io:${port}`,
    `localtest.me:${port}`,
    `localhost.:${port}`,
    `127.0.0.1.:${port}`,
    `0.0.0.0:${port}`,
    `[::]:${port}`,
    `169.254.169.254:${port}`,
    `192.168.1.1:${port}`,
    `10.0.0.1:${port}`,
    `2130706433:${port}`,
    `0x7f.1:${port}`,
    `0177.0.0.1:${port}`,
    `evil.example@127.0.0.1:${port}`,
    `127.0.0.1:${port}@evil.example`,
    `evil.example#127.0.0.1:${port}`,
    `127.0.0.1:${port}/evil.example`,
    `127.0.0.1:${port}, evil.example`,
    `127.0.0.1 evil.example:${port}`,
    `localhost\\.evil.example:${port}`,
    `[::1%25lo]:${port}`,
    `[::1].evil.example:${port}`,
    `xn--lcalhost-54a:${port}`,
    '127.0.0.1:',
    '127.0.0.1:999999',
    '127.0.0.1:port',
    '*',
    '',
  ];
}

/** Hosts that no other site can have, beside those that clients use. */
const OWN_HOSTS = ['[::ffff:127.0.0.1]', 'LOCALHOST', '127.9.9.9', '[::1]'];

const AIMS = [
  ['calls a tool', CALL_TOOL],
  ['asks a model', ASK_MODEL],
] as const;

export const hostRows: Rows = (host) => {
  const port = host.split(':')[1] ?? '';
  const foreign = foreignHosts(port).flatMap((name) =>
    AIMS.map(([aim, parts]): BrowserRow => ({
      name: `Host "${name}" ${aim}`,
      bytes: written([`Host: ${name}`], parts),
      methods: ['POST'],
      refused: [400, 403],
    })),
  );
  const elsewhere = ['/', '/metrics', '/healthz', '/readyz', '/sse', '/v1/models'].map(
    (path): BrowserRow => ({
      name: `Host of a page that resolves to loopback gets ${path}`,
      bytes: written([`Host: evil.example:${port}`], { ...OPEN_SSE, path }),
      refused: FORBIDDEN,
    }),
  );
  const rebinding = [CALL_TOOL, ASK_MODEL, OPEN_SSE].flatMap((parts) =>
    ['http', 'https'].map((scheme): BrowserRow => ({
      name: `rebinding with the matching Origin ${scheme} at ${parts.path}`,
      bytes: written(
        [`Host: evil.example:${port}`],
        withLines(parts, `Origin: ${scheme}://evil.example:${port}`),
      ),
      methods: [parts.method ?? 'GET'],
      refused: FORBIDDEN,
    })),
  );
  const own = OWN_HOSTS.map((name): BrowserRow => ({
    name: `Host "${name}"`,
    bytes: written([`Host: ${name}:${port}`]),
    refused: [400, 403],
    harmless: 'it names loopback by number, or by the one name that browsers keep for it',
  }));
  return [...foreign, ...elsewhere, ...rebinding, ...own, ...doubled(host)];
};

/** More than one Host, none, or one that another reader of the same bytes reads differently. */
function doubled(host: string): readonly BrowserRow[] {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['two Hosts, ours first', [`Host: ${host}`, 'Host: evil.example']],
    ['two Hosts, ours last', ['Host: evil.example', `Host: ${host}`]],
    ['our Host twice', [`Host: ${host}`, `host: ${host}`]],
    ['no Host', []],
    ['a folded Host', ['Host: evil.example', ` ${host}`]],
    ['a Host folded by a tab', [`Host: ${host}`, '\tevil.example']],
    ['a space before the colon', [`Host : ${host}`]],
    ['a space before the name', [` Host: ${host}`]],
    ['a NUL in the Host', [`Host: ${host}\0evil.example`]],
    ['a bare CR in the Host', [`Host: ${host}\revil.example`]],
    ['X-Forwarded-Host is ours', ['Host: evil.example', `X-Forwarded-Host: ${host}`]],
    ['Forwarded is ours', ['Host: evil.example', `Forwarded: host="${host}"`]],
  ];
  return cases.map(([name, lines]) => ({
    name,
    bytes: written(lines, CALL_TOOL),
    methods: ['POST'],
    refused: [400, 403],
  }));
}
