import { createHash, hash } from 'node:crypto';
import { CallError } from '#core/errors/call-error.ts';
import type { Caller } from '#core/calls/call.ts';
import type { Authenticator } from '#core/auth/authenticator.ts';
import { commandFix } from '#core/messages/fixes.ts';
import { parseUntrustedJson, JsonTooComplexError } from '#core/json/json-guard.ts';
import { bearerToken } from '../http/request-checks.ts';
import type { HttpContext } from '../http/http-context.ts';
import { isJson } from '../http/media-type.ts';
import { inSlices, parseLargeBody } from '#core/large-json/parse-large-body.ts';
import { readBody, type BodyLimits } from '../http/read-body.ts';

/**
 * Placeholders for libraries that require a key where the daemon needs none; `local` is the one of
 * version 0.1.
 */
const NO_KEY: ReadonlySet<string | undefined> = new Set(['none', 'local']);
const RETRY_AFTER_MS = 1000;

/** A parsed request body. */
export interface JsonBody {
  readonly body: unknown;
  /** Hex digest of the raw body. */
  readonly sha256: string;
}

/** The caller of a request and its session, which is the connection. */
export interface CallerContext {
  readonly caller: Caller;
  readonly session: string;
}

/**
 * Authenticates a request by its API key, and counts it for the caller. Rejects with the error for
 * the client.
 */
export async function authenticateApiKey(
  context: HttpContext,
  authenticator: Pick<Authenticator, 'authenticate'>,
): Promise<Caller> {
  const presented = readApiKey(context);
  const token = NO_KEY.has(presented.key) || presented.key === '' ? undefined : presented.key;
  const caller = await authenticator
    .authenticate({ transport: 'tcp', token, connection: context.request.socket })
    .catch((thrown: unknown) => refuseKey(thrown, presented));
  if (context.acquireSlot?.(caller.principal) === false) {
    throw new CallError('over_capacity', 'Too many concurrent requests for this client.', {
      retryAfterMs: RETRY_AFTER_MS,
    });
  }
  return caller;
}

interface PresentedKey {
  readonly key: string | undefined;
  /** The header that had it. */
  readonly field: 'authorization' | 'x-api-key';
}

/**
 * The key of a request: OpenAI's clients send a bearer token, Anthropic's the header `x-api-key`.
 */
function readApiKey({ request }: HttpContext): PresentedKey {
  const { authorization, 'x-api-key': apiKey } = request.headers;
  const bearer = bearerToken(authorization);
  const hasNoBearer = bearer === undefined || NO_KEY.has(bearer);
  if (!hasNoBearer || typeof apiKey !== 'string') {
    return { key: bearer, field: 'authorization' };
  }
  return { key: apiKey, field: 'x-api-key' };
}

function refuseKey(thrown: unknown, { key, field }: PresentedKey): never {
  const error = CallError.from(thrown);
  if (error.class !== 'auth') throw error;
  throw new CallError('auth', describeKeyProblem(key), { field, fixes: KEY_FIXES, cause: error });
}

function describeKeyProblem(key: string | undefined): string {
  if (NO_KEY.has(key)) return `The API key is required; "${key}" is a placeholder.`;
  return key === undefined || key === '' ? 'The API key is missing.' : 'Invalid API key.';
}

const KEY_FIXES = [
  commandFix('exai gateway env <tool>', 'configure a tool'),
  commandFix('exai token show', 'print the key of the owner'),
  commandFix('exai access add <name>', 'make one for a client'),
];

/**
 * Reads and parses the JSON body of a request. Calls `then` one time, with the body or an error.
 */
export function readJsonBody(
  context: HttpContext,
  { principal }: Caller,
  limits: BodyLimits,
  then: (body: JsonBody | CallError) => void,
): void {
  if (!isJson(context.request.headers['content-type'])) return then(NOT_JSON_TYPE);
  const onBody = (body: string | Buffer | CallError) => {
    if (body instanceof CallError) then(body);
    else if (typeof body === 'string') then(parse(body));
    else void parseLarge(body, context.reqId).then(then);
  };
  readBody(context, principal, limits, context.inSpan?.(onBody) ?? onBody);
}

function parse(text: string): JsonBody | CallError {
  try {
    const json = text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
    return { body: parseUntrustedJson(json), sha256: hash('sha256', text) };
  } catch (thrown) {
    if (thrown instanceof JsonTooComplexError) return TOO_COMPLEX;
    // The message of JSON.parse is not passed on: it quotes the body.
    const at = thrown instanceof Error ? /position (\d+)/.exec(thrown.message)?.[1] : undefined;
    return notJson(at === undefined ? '' : `, from character ${at} on`);
  }
}

async function parseLarge(bytes: Buffer, reqId: string): Promise<JsonBody | CallError> {
  try {
    const digest = createHash('sha256');
    await inSlices(bytes, (slice) => void digest.update(slice));
    return { body: await parseLargeBody(bytes, reqId), sha256: digest.digest('hex') };
  } catch (thrown) {
    // A position would be that of the shortened text.
    return thrown instanceof JsonTooComplexError ? TOO_COMPLEX : notJson('');
  }
}

function notJson(where: string): CallError {
  return new CallError('bad_request', `The body is not JSON${where}.`, {
    field: 'body',
    fix: 'Send one JSON object.',
  });
}

const BYTE_ORDER_MARK = 0xfeff;

const TOO_COMPLEX = new CallError(
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
