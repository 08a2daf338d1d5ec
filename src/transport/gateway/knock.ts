import { hash } from 'node:crypto';
import { CallError } from '#core/call-error.ts';
import type { Caller } from '#core/call.ts';
import type { Doorman } from '#core/doorman.ts';
import { bearerOf } from '../http/bearer.ts';
import type { Exchange } from '../http/endpoint.ts';
import { isJson } from '../http/media-type.ts';
import { readBody, type BodyLimits } from '../http/read-body.ts';
import { parseText } from '../parse-text.ts';

/** Libraries insist on a key where none is needed; this word is none. */
const NO_KEY = 'local';
const RETRY_AFTER_MS = 1000;

export interface Posted {
  readonly body: unknown;
  /** Hex digest of the body as it came. */
  readonly sha256: string;
}

/** Finds out who asks. Rejects with what is wrong. */
export async function identify(
  exchange: Exchange,
  doorman: Pick<Doorman, 'identify'>,
): Promise<Caller> {
  const caller = await doorman.identify({ door: 'tcp', token: keyOf(exchange) }).catch(asKey);
  if (exchange.claim?.(caller.principal) === false) {
    throw new CallError('over_capacity', 'All requests that this client may have are under way.', {
      retryAfterMs: RETRY_AFTER_MS,
    });
  }
  return caller;
}

/** OpenAI's clients send a bearer token, Anthropic's a header of their own. */
function keyOf({ request }: Exchange): string | undefined {
  const { authorization, 'x-api-key': apiKey } = request.headers;
  const key = bearerOf(authorization) ?? (typeof apiKey === 'string' ? apiKey : undefined);
  return key === NO_KEY || key === '' ? undefined : key;
}

function asKey(thrown: unknown): never {
  const error = CallError.from(thrown);
  if (error.class !== 'auth') throw error;
  const isMissing = error.message.includes('missing');
  throw new CallError('auth', isMissing ? 'A key is missing.' : 'The key is not one of ours.', {
    field: 'authorization',
    fix: 'Give a client key from `exai access add`, or the EXAI_TOKEN; where there is neither, give the word "local".',
    cause: error,
  });
}

/** Reads the JSON of a request, then goes on, once; or tells what is wrong with it. */
export function receive(
  exchange: Exchange,
  { principal }: Caller,
  limits: BodyLimits,
  then: (posted: Posted | CallError) => void,
): void {
  if (!isJson(exchange.request.headers['content-type'])) return then(NOT_JSON_TYPE);
  const take = (text: string | CallError) => {
    then(typeof text === 'string' ? parse(text) : text);
  };
  readBody(exchange, principal, limits, exchange.inSpan?.(take) ?? take);
}

function parse(text: string): Posted | CallError {
  try {
    return { body: parseText(text), sha256: hash('sha256', text) };
  } catch (thrown) {
    // The engine's own words quote what was sent.
    const at = thrown instanceof Error ? /position (\d+)/.exec(thrown.message)?.[1] : undefined;
    const where = at === undefined ? '' : `, from character ${at} on`;
    return new CallError('bad_request', `The body is not JSON${where}.`, {
      field: 'body',
      fix: 'Send one JSON object.',
    });
  }
}

const NOT_JSON_TYPE = new CallError('bad_request', 'The body must be JSON.', {
  field: 'content-type',
  fix: 'Send the header "Content-Type: application/json".',
});
