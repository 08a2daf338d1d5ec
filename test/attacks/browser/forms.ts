import {
  ASK_ANTHROPIC,
  ASK_MODEL,
  CALL_TOOL,
  FORBIDDEN,
  OPEN_SESSION,
  withLines,
  written,
  type BrowserRow,
  type Rows,
} from './row.ts';

/** What a form or a simple request can say of its body; no preflight is asked for these. */
const SIMPLE_TYPES = [
  'text/plain',
  'text/plain;charset=UTF-8',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'text/plain; application/json',
  'text/plain, application/json',
  'application/json-seq',
  'application/jsonp',
  'text/json',
  'application/x-json',
  '',
];

const AIMS = [CALL_TOOL, OPEN_SESSION, ASK_MODEL, ASK_ANTHROPIC];

/**
 * Without an Origin, as some older browsers sent forms: the type of the body alone has to refuse
 * them.
 */
export const formRows: Rows = (host) => {
  const ours = [`Host: ${host}`];
  const typed = AIMS.flatMap((parts) =>
    SIMPLE_TYPES.map((contentType): BrowserRow => ({
      name: `a form of type "${contentType}" for ${parts.path}`,
      bytes: written(ours, { ...parts, contentType }),
      methods: ['POST'],
      refused: [400, 415],
    })),
  );
  const sent = AIMS.map((parts): BrowserRow => ({
    name: `a form of another site for ${parts.path}`,
    bytes: written(
      ours,
      withLines(
        { ...parts, contentType: 'text/plain' },
        'Origin: https://evil.example',
        'Sec-Fetch-Site: cross-site',
        'Sec-Fetch-Mode: navigate',
      ),
    ),
    methods: ['POST'],
    refused: FORBIDDEN,
  }));
  const beacon = AIMS.map((parts): BrowserRow => ({
    name: `a beacon with a JSON type for ${parts.path}`,
    bytes: written(ours, withLines(parts, 'Origin: null', 'Sec-Fetch-Mode: no-cors')),
    methods: ['POST'],
    refused: FORBIDDEN,
  }));
  // A link or an image can ask for any address of ours; none of them does anything.
  const links = [
    '/mcp?method=tools/call&name=version',
    '/v1/chat/completions?model=kimi-k2.6',
    '/v1/messages',
    '/messages?sessionId=00000000-0000-4000-8000-000000000000',
  ].map((path): BrowserRow => ({
    name: `a link to ${path}`,
    bytes: written(ours, { path, lines: ['Sec-Fetch-Site: none', 'Accept: text/html'] }),
    refused: [400, 404, 405, 406],
  }));
  const methods = ['PUT', 'PATCH', 'DELETE', 'HEAD', 'PROPFIND', 'QUERY'].map(
    (method): BrowserRow => ({
      name: `${method} of a page of another Origin`,
      bytes: written(ours, { method, path: '/mcp', lines: ['Origin: https://evil.example'] }),
      methods: [method],
      refused: method === 'QUERY' ? [400, 403] : FORBIDDEN,
    }),
  );
  return [...typed, ...sent, ...beacon, ...links, ...methods];
};
