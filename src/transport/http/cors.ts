import type { IncomingHttpHeaders } from 'node:http';
import type { HeaderList } from './http-context.ts';

const METHODS = 'POST, GET, DELETE';
/** Headers that MCP clients and the SDKs of OpenAI and Anthropic send from pages. */
const ALLOWED: readonly string[] = [
  'content-type',
  'authorization',
  'mcp-session-id',
  'mcp-protocol-version',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'x-api-key',
  'anthropic-version',
  'anthropic-beta',
  'anthropic-dangerous-direct-browser-access',
  'openai-organization',
  'openai-project',
  'openai-beta',
  'idempotency-key',
  'x-request-id',
  'http-referer',
  'x-title',
  'user-agent',
];
/**
 * Families of headers whose full names depend on the request: arguments of a tool call that MCP
 * mirrors, what the SDKs tell about themselves, and our own options.
 */
const FAMILIES = /^(?:mcp-param-|x-stainless-|x-exai-|x-codex-)[\w!#$%&'*+.^`|~-]{1,128}$/;
const EXPOSED = [
  'mcp-session-id',
  'www-authenticate',
  'x-request-id',
  'request-id',
  'openai-version',
  'openai-processing-ms',
  'retry-after',
  'retry-after-ms',
  'x-should-retry',
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'anthropic-ratelimit-requests-limit',
  'anthropic-ratelimit-requests-remaining',
  'idempotent-replayed',
  'x-exai-req-id',
  'x-exai-provider',
  'x-exai-model',
  'x-exai-attempts',
  'x-exai-fallback-reason',
  'x-exai-alias',
  'x-exai-cache',
  'x-exai-budget-remaining-usd',
].join(', ');
const MAX_AGE_S = '600';
const NO_HEADERS: HeaderList = [];

/** CORS headers that let a page read the response; its Origin has passed the check. */
export function corsHeaders({ origin }: IncomingHttpHeaders): HeaderList {
  if (origin === undefined) return NO_HEADERS;
  return [
    'access-control-allow-origin',
    origin,
    'access-control-expose-headers',
    EXPOSED,
    'vary',
    'origin',
  ];
}

/** Headers of the response to a CORS preflight request. */
export function preflightHeaders(headers: IncomingHttpHeaders): HeaderList {
  const requested = headers['access-control-request-headers']?.toLowerCase().split(',') ?? [];
  const more = requested.map((name) => name.trim()).filter((name) => FAMILIES.test(name));
  // A page of the internet asks for this before it reaches a machine of the local network.
  const isPrivate = headers['access-control-request-private-network'] === 'true';
  return [
    'access-control-allow-methods',
    METHODS,
    'access-control-allow-headers',
    [...ALLOWED, ...more].join(', '),
    'access-control-max-age',
    MAX_AGE_S,
    ...(isPrivate ? ['access-control-allow-private-network', 'true'] : []),
    'allow',
    `${METHODS}, OPTIONS`,
  ];
}
