import {
  CALL_TOOL,
  OPEN_SESSION,
  REFUSED,
  withLines,
  written,
  type BrowserRow,
  type Rows,
} from './row.ts';

const WS = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
];

/**
 * Forms of a request that browsers do not send and proxies may make: targets, protocols and
 * methods.
 */
export const oddRows: Rows = (host) => [
  ...targets(host),
  ...webSockets(host),
  ...protocols(host),
  ...methods(host),
];

function targets(host: string): readonly BrowserRow[] {
  const ours = [`Host: ${host}`];
  const foreignHost: BrowserRow[] = [
    'http://evil.example/mcp',
    'https://evil.example:443/mcp',
    'http://evil.example@127.0.0.1/mcp',
    'ftp://evil.example/mcp',
    'http://evil.example/healthz',
  ].map((path) => ({
    name: `absolute target ${path} with our Host`,
    bytes: written(ours, { ...CALL_TOOL, path }),
    methods: ['POST'],
    refused: REFUSED,
  }));
  const ownTarget: BrowserRow = {
    name: 'absolute target of our host with another Host',
    bytes: written(['Host: evil.example'], { ...CALL_TOOL, path: `http://${host}/mcp` }),
    methods: ['POST'],
    refused: [400, 403],
  };
  const strange: BrowserRow[] = [
    '*',
    'mcp',
    '//evil.example/mcp',
    '/\\evil.example/mcp',
    '/%2e%2e/mcp',
    '/mcp/../metrics',
    '/mcp%00',
    '/MCP',
    '/mcp;x=1',
    '/v1//chat/completions',
    'javascript:alert(1)',
  ].map((path) => ({
    name: `target "${path}"`,
    bytes: written(ours, { ...OPEN_SESSION, path }),
    methods: ['POST'],
    refused: REFUSED,
  }));
  return [...foreignHost, ownTarget, ...strange];
}

function webSockets(host: string): readonly BrowserRow[] {
  const port = host.split(':')[1] ?? '';
  const origins = [
    'https://evil.example',
    'http://evil.example',
    'null',
    '',
    `http://localhost:${port}`,
    `http://${host}.evil.example`,
    `http://${host}, https://evil.example`,
    'chrome-extension://abcdefghijklmnopabcdefghijklmnop',
  ];
  const byOrigin = origins.flatMap((origin) =>
    ['/', '/ws'].map((path): BrowserRow => ({
      name: `WebSocket at ${path} by a page of Origin "${origin}"`,
      bytes: written([`Host: ${host}`], { path, lines: [...WS, `Origin: ${origin}`] }),
      refused: [403],
    })),
  );
  const byHost = ['evil.example', `rebind.evil.example:${port}`, ''].map((name): BrowserRow => ({
    name: `WebSocket by Host "${name}"`,
    bytes: written([`Host: ${name}`], { path: '/ws', lines: [...WS, `Origin: http://${name}`] }),
    refused: [400, 403],
  }));
  const elsewhere = ['/mcp', '/v1/chat/completions', '/sse', '/metrics'].map(
    (path): BrowserRow => ({
      name: `WebSocket at ${path}`,
      bytes: written([`Host: ${host}`], { path, lines: WS }),
      refused: [404],
    }),
  );
  const doubled: BrowserRow = {
    name: 'WebSocket with two Hosts',
    bytes: written([`Host: ${host}`, 'Host: evil.example'], { path: '/ws', lines: WS }),
    refused: [400, 403],
  };
  return [...byOrigin, ...byHost, ...elsewhere, doubled];
}

function protocols(host: string): readonly BrowserRow[] {
  const h2c = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk'];
  const foreign = [...h2c, 'Origin: https://evil.example'];
  return [
    {
      name: 'h2c offered by a page of another Origin',
      bytes: written([`Host: ${host}`], withLines(CALL_TOOL, ...foreign)),
      methods: ['POST'],
      refused: [403],
    },
    {
      name: 'h2c offered to another Host',
      bytes: written(['Host: evil.example'], withLines(CALL_TOOL, ...h2c)),
      methods: ['POST'],
      refused: [403],
    },
    {
      name: 'the preface of HTTP/2',
      bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0',
      refused: [400, 505],
    },
    {
      name: 'a TLS hello',
      bytes: `\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03${'r'.repeat(200)}`,
      ending: 'half_close',
      refused: [400],
    },
    ...['HTTP/0.9', 'HTTP/2.0', 'HTTP/3.0', 'HTTP/1.2', 'ICE/1.0', 'RTSP/1.0'].map(
      (version): BrowserRow => ({
        name: `a tool called by ${version}`,
        bytes: written(['Host: evil.example'], { ...CALL_TOOL, version }),
        methods: ['POST'],
        refused: REFUSED,
      }),
    ),
    {
      name: 'HTTP/1.0 without a Host',
      bytes: written([], { ...CALL_TOOL, version: 'HTTP/1.0' }),
      methods: ['POST'],
      refused: [400],
    },
  ];
}

function methods(host: string): readonly BrowserRow[] {
  return [
    {
      name: 'CONNECT to another host',
      bytes: written(['Host: evil.example:443'], { method: 'CONNECT', path: 'evil.example:443' }),
      methods: ['CONNECT'],
      refused: [405],
    },
    {
      name: 'CONNECT to ourselves',
      bytes: written([`Host: ${host}`], { method: 'CONNECT', path: host }),
      methods: ['CONNECT'],
      refused: [405],
    },
    ...['/mcp', '/v1/models', '/healthz', '/metrics', '/'].map((path): BrowserRow => ({
      name: `TRACE ${path}, which would read headers back`,
      bytes: written([`Host: ${host}`], { method: 'TRACE', path }),
      methods: ['TRACE'],
      refused: [400, 404, 405],
    })),
    {
      name: 'an expectation that nobody has',
      bytes: written([`Host: ${host}`], withLines(CALL_TOOL, 'Expect: 200-ok')),
      methods: ['POST'],
      refused: [417],
    },
  ];
}
