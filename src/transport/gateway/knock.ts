import { hash } from 'node:crypto';
import { CallError } from '#core/call-error.ts';
import type { Caller } from '#core/call.ts';
import type { Doorman } from '#core/doorman.ts';
import { command } from '#core/messages/fixes.ts';
import { parseText, TooMuchJson } from '#core/parse-text.ts';
import { bearerOf } from '../http/bearer.ts';
import type { Exchange } from '../http/endpoint.ts';
import { isJson } from '../http/media-type.ts';
import { readBody, type BodyLimits } from '../http/read-body.ts';

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
  const shown = keyOf(exchange);
  const token = shown.key === NO_KEY || shown.key === '' ? undefined : shown.key;
  const caller = await doorman
    .identify({ door: 'tcp', token, connection: exchange.request.socket })
    .catch((thrown: unknown) => refuseKey(thrown, shown));
  if (exchange.claim?.(caller.principal) === false) {
    throw new CallError('over_capacity', 'All requests that this client may have are under way.', {
      retryAfterMs: RETRY_AFTER_MS,
    });
  }
  return caller;
}

interface ShownKey {
  readonly key: string | undefined;
  /** Where it stood. */
  readonly field: 'authorization' | 'x-api-key';
}

/** OpenAI's clients send a bearer token, Anthropic's a header of their own. */
function keyOf({ request }: Exchange): ShownKey {
  const { authorization, 'x-api-key': apiKey } = request.headers;
  const bearer = bearerOf(authorization);
  const isNone = bearer === undefined || bearer === NO_KEY;
  if (!isNone || typeof apiKey !== 'string') {
    return { key: bearer, field: 'authorization' };
  }
  return { key: apiKey, field: 'x-api-key' };
}

function refuseKey(thrown: unknown, { key, field }: ShownKey): never {
  const error = CallError.from(thrown);
  if (error.class !== 'auth') throw error;
  throw new CallError('auth', keyWords(key), { field, fixes: KEY_FIXES, cause: error });
}

function keyWords(key: string | undefined): string {
  if (key === NO_KEY) return `The API key is required; "${NO_KEY}" is a placeholder.`;
  return key === undefined || key === '' ? 'The API key is missing.' : 'Invalid API key.';
}

const KEY_FIXES = [
  command('exai gateway env <tool>', 'configure a tool'),
  command('exai token show', 'print the key of the owner'),
  command('exai access add <name>', 'make one for a client'),
];

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
    const json = text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
    return { body: parseText(json), sha256: hash('sha256', text) };
  } catch (thrown) {
    if (thrown instanceof TooMuchJson) return TOO_MUCH;
    // The engine's own words quote what was sent.
    const at = thrown instanceof Error ? /position (\d+)/.exec(thrown.message)?.[1] : undefined;
    const where = at === undefined ? '' : `, from character ${at} on`;
    return new CallError('bad_request', `The body is not JSON${where}.`, {
      field: 'body',
      fix: 'Send one JSON object.',
    });
  }
}

const BYTE_ORDER_MARK = 0xfeff;

const TOO_MUCH = new CallError(
  'too_large',
  'The body is nested too deeply, or has too many parts.',
  {
    field: 'body',
    fix: 'Send fewer messages, or longer ones in their place.',
  },
);

const NOT_JSON_TYPE = new CallError('bad_request', 'The body must be JSON.', {
  field: 'content-type',
  fix: 'Send the header "Content-Type: application/json".',
});
