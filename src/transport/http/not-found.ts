import type { IncomingMessage } from 'node:http';
import { CallError } from '#core/call-error.ts';
import { toErrorReply } from './error-reply.ts';
import { json, type Reply } from './route.ts';

/** Clients put these behind whatever base they were given. */
const OF_GATEWAYS =
  /^\/v1(?:\/|$)|\/(?:chat\/completions|completions|embeddings|messages|models|responses)$/;
const MCP_FIX = 'MCP is at /mcp';
/** MCP clients ask for these after a 401, some below /mcp. */
const OF_OAUTH = /^(?:\/\w+)?\/(?:\.well-known\/(?:oauth|openid)|(?:register|authorize|token)$)/;
/** As RFC 6749 has errors: libraries for OAuth show the description of it, and of anything else only that it is none. */
const NO_OAUTH = {
  error: 'invalid_request',
  error_description:
    'EX-AI does not use OAuth. Send the header "Authorization: Bearer <token>"; `exai token show` prints the token.',
  class: 'not_found',
} as const;
const SERVED =
  'The gateway is at /v1/chat/completions, /v1/messages, /v1/embeddings and /v1/models. OpenAI clients want a base URL that ends with /v1, Anthropic clients one without it.';
const SWITCHED_OFF =
  'The gateway is switched off: set gateway.enabled (EXAI_GATEWAY_ENABLED) to true and start the daemon again.';

/** What libraries ask for that is not served, by the last part of its path. */
const NOT_SERVED: readonly (readonly [RegExp, string])[] = [
  [/\/responses(?:\/|$)/, 'The Responses API is not served; chat completions are.'],
  [/(?<!\/chat)\/completions$/, 'Completions without a chat are not served; chat completions are.'],
];

/** Where nothing is: what there is instead, in words that clients of either vendor show. */
export function notFound(
  { headers }: Pick<IncomingMessage, 'headers'>,
  path: string,
  gateway: 'on' | 'off',
): Reply {
  const message = `Nothing is served at ${path}.`;
  if (OF_OAUTH.test(path)) return json(404, NO_OAUTH);
  if (!OF_GATEWAYS.test(path)) {
    const rest = ', the gateway for clients of the OpenAI and Anthropic APIs at /v1';
    const fix = `${MCP_FIX}${gateway === 'on' ? rest : ''}.`;
    return toErrorReply(new CallError('not_found', message, { fix }));
  }
  const [, why] = NOT_SERVED.find(([pattern]) => pattern.test(path)) ?? [];
  // Their libraries show the message and drop the rest.
  const words = gateway === 'off' ? [message, SWITCHED_OFF] : [message, why, SERVED];
  const error = new CallError('not_found', words.filter((each) => each !== undefined).join(' '));
  const isAnthropics = headers['anthropic-version'] !== undefined;
  const type = isAnthropics ? 'not_found_error' : 'invalid_request_error';
  return json(error.policy.status, {
    type: 'error',
    error: { ...error.toJSON(), type, param: null, code: 'not_found' },
  });
}
