import {
  ASK_ANTHROPIC,
  ASK_COMPLETION,
  ASK_RESPONSE,
  CALL_TOOL,
  FORBIDDEN,
  OPEN_SESSION,
  OPEN_SSE,
  withLines,
  written,
  type BrowserRow,
  type RequestParts,
  type Rows,
} from './row.ts';

/**
 * Pages that are not ours. Another server of this machine may show anybody's pages, so another port
 * is foreign as well.
 */
export function foreignOrigins(host: string): readonly string[] {
  const port = host.split(':')[1] ?? '';
  return [
    'null',
    'http://evil.example',
    'https://evil.example',
    `http://evil.example:${port}`,
    'http://127.0.0.1',
    'http://127.0.0.1:3000',
    `http://localhost:${port}`,
    `http://[::1]:${port}`,
    `http://${host}.evil.example`,
    `http://${host}@evil.example`,
    `http://evil.example/${host}`,
    `http://${host}/`,
    `http://${host}, http://evil.example`,
    `http://evil.example http://${host}`,
    `chrome-extension://${host}`,
    'chrome-extension://abcdefghijklmnopabcdefghijklmnop',
    'moz-extension://00000000-0000-4000-8000-000000000000',
    `ftp://${host}`,
    `ws://${host}`,
    'file://',
    'vscode-webview://abc',
    '',
  ];
}

const AIMS: readonly (readonly [string, RequestParts])[] = [
  ['opens a session', OPEN_SESSION],
  ['asks a model', ASK_ANTHROPIC],
  ['asks for a response', ASK_RESPONSE],
  ['asks for a completion', ASK_COMPLETION],
];

export const originRows: Rows = (host) => {
  const ours = [`Host: ${host}`];
  const foreign = foreignOrigins(host).flatMap((origin) =>
    AIMS.map(([aim, parts]): BrowserRow => ({
      name: `Origin "${origin}" ${aim}`,
      bytes: written(ours, withLines(parts, `Origin: ${origin}`)),
      methods: ['POST'],
      refused: FORBIDDEN,
    })),
  );
  const elsewhere = [
    '/',
    '/metrics',
    '/healthz',
    '/readyz',
    '/v1/models',
    '/v1/responses/resp_1',
    '/sse',
    '/messages',
  ].map((path): BrowserRow => ({
    name: `a page of another Origin gets ${path}`,
    bytes: written(ours, withLines({ ...OPEN_SSE, path }, 'Origin: https://evil.example')),
    refused: FORBIDDEN,
  }));
  const doubled = [
    [`Origin: http://${host}`, 'Origin: https://evil.example'],
    ['Origin: https://evil.example', `Origin: http://${host}`],
    ['Origin: https://evil.example', `\thttp://${host}`],
  ].map((lines, index): BrowserRow => ({
    name: `more than one Origin, form ${index + 1}`,
    bytes: written(ours, withLines(CALL_TOOL, ...lines)),
    methods: ['POST'],
    refused: [400, 403],
    ...(index === 0 && {
      harmless: 'no browser sends two, and the first is that of our own page',
    }),
  }));
  return [...foreign, ...elsewhere, ...doubled, ...preflights(ours), ...loads(ours)];
};

/** What a browser asks before it sends what is no simple request. */
function preflights(ours: readonly string[]): readonly BrowserRow[] {
  const paths = [
    '/mcp',
    '/v1/chat/completions',
    '/v1/responses',
    '/v1/messages',
    '/sse',
    '/messages',
  ];
  const wishes = [
    ['Access-Control-Request-Method: POST', 'Access-Control-Request-Headers: content-type'],
    ['Access-Control-Request-Method: GET', 'Access-Control-Request-Private-Network: true'],
    ['Access-Control-Request-Method: POST', 'Access-Control-Request-Local-Network: true'],
  ];
  return paths.flatMap((path) =>
    wishes.map((lines, index) => ({
      name: `preflight ${index + 1} of a page of another Origin for ${path}`,
      bytes: written(ours, {
        method: 'OPTIONS',
        path,
        lines: ['Origin: https://evil.example', ...lines],
      }),
      methods: ['OPTIONS'],
      refused: FORBIDDEN,
    })),
  );
}

/** What pages load without an Origin: images, scripts, frames, links. */
function loads(ours: readonly string[]): readonly BrowserRow[] {
  const kinds = [
    ['image', 'no-cors'],
    ['script', 'no-cors'],
    ['iframe', 'navigate'],
    ['document', 'navigate'],
    ['style', 'no-cors'],
  ];
  const paths = ['/sse', '/mcp', '/v1/models', '/metrics'];
  return paths.flatMap((path) =>
    kinds.flatMap(([dest, mode]) =>
      ['cross-site', 'same-site'].map((site) => ({
        name: `${dest} of a ${site} page with the source ${path}`,
        bytes: written(ours, {
          path,
          lines: [
            'Accept: text/event-stream, */*',
            `Sec-Fetch-Site: ${site}`,
            `Sec-Fetch-Mode: ${mode}`,
            `Sec-Fetch-Dest: ${dest}`,
          ],
        }),
        refused: FORBIDDEN,
      })),
    ),
  );
}
