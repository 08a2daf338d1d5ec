import type { IncomingHttpHeaders } from 'node:http';
import type { HeaderList } from './endpoint.ts';

const METHODS = 'POST, GET, DELETE';
const HEADERS = [
  'content-type',
  'authorization',
  'mcp-session-id',
  'mcp-protocol-version',
  'last-event-id',
  'mcp-method',
  'mcp-name',
];
const NONE: HeaderList = [];
// What an argument of a tool is mirrored in; which ones there are depends on the tool.
const PARAMETER = /^mcp-param-[\w!#$%&'*+.^`|~-]{1,128}$/;
const MAX_AGE_S = '600';

/** What lets a page read the answer. Its origin has been found to be one of ours. */
export function corsHeaders({ origin }: IncomingHttpHeaders): HeaderList {
  if (origin === undefined) return NONE;
  return [
    'access-control-allow-origin',
    origin,
    'access-control-expose-headers',
    'mcp-session-id, x-exai-req-id, www-authenticate',
    'vary',
    'origin',
  ];
}

/** The answer to a browser that asks first whether its page may send such a request. */
export function preflightHeaders(headers: IncomingHttpHeaders): HeaderList {
  const asked = headers['access-control-request-headers']?.toLowerCase().split(',') ?? [];
  const parameters = asked.map((name) => name.trim()).filter((name) => PARAMETER.test(name));
  return [
    'access-control-allow-methods',
    METHODS,
    'access-control-allow-headers',
    [...HEADERS, ...parameters].join(', '),
    'access-control-max-age',
    MAX_AGE_S,
    'allow',
    `${METHODS}, OPTIONS`,
  ];
}
