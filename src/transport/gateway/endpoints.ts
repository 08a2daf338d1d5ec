import type { Authenticator } from '#core/auth/authenticator.ts';
import type { Caller } from '#core/calls/call.ts';
import { withClientInfo } from '#core/calls/client-info.ts';
import { CallError } from '#core/errors/call-error.ts';
import {
  GATEWAY_OPERATIONS,
  type GatewayModels,
  type GatewayTokens,
  type GatewayVectors,
} from '#core/llm/gateway.ts';
import { readTokenCount, writeTokenCount } from '../anthropic/message-request.ts';
import { writeAnthropicModel, writeAnthropicModels } from '../anthropic/models.ts';
import type { Endpoint } from '../http/endpoint-dispatcher.ts';
import type { HeaderList, HttpContext } from '../http/http-context.ts';
import type { BodyLimits } from '../http/read-body.ts';
import { readEmbeddings, writeEmbeddings } from '../openai/embeddings.ts';
import { writeOpenAiModel, writeOpenAiModels } from '../openai/models.ts';
import type { ChatStreams } from './chat-streams.ts';
import type { GatewayDialect } from './dialect.ts';
import { sendError } from './error-response.ts';
import { authenticateApiKey, readJsonBody, type CallerContext, type JsonBody } from './request.ts';
import type { RepeatedRequests } from './repeated-requests.ts';
import type { UnaryCalls } from './unary-calls.ts';
import { readUserAgent } from './user-agent.ts';
import { readHeaderOptions } from './request-options.ts';

/** What all endpoints of the gateway need. */
export interface GatewayContext {
  readonly authenticator: Pick<Authenticator, 'authenticate'>;
  readonly limits: BodyLimits;
  readonly sessionOf: (context: HttpContext) => string;
  readonly isDraining: () => boolean;
  readonly repeated: RepeatedRequests;
  /** Our own limits for a caller, as headers of a dialect. */
  readonly limitHeaders: (dialect: GatewayDialect, caller: Caller) => HeaderList;
}

const RETRY_AFTER_MS = 1000;
const STOPPING = new CallError('over_capacity', 'The daemon is stopping.', {
  retryAfterMs: RETRY_AFTER_MS,
});

/**
 * An endpoint for POST: authenticates the caller and reads the JSON body before `work`, which may
 * throw.
 */
function postEndpoint(
  path: string,
  dialect: GatewayDialect,
  gateway: GatewayContext,
  work: (context: HttpContext, json: JsonBody, callerContext: CallerContext) => void,
): Endpoint {
  return endpoint(path, dialect, ['POST'], gateway, (context, callerContext) => {
    withJsonBody(context, dialect, gateway, callerContext, (json, shared) =>
      work(shared, json, callerContext),
    );
  });
}

/**
 * Reads the JSON body of a request before `work`, which may throw. Its context may have several
 * readers, if a request is repeated.
 */
export function withJsonBody(
  context: HttpContext,
  dialect: GatewayDialect,
  gateway: GatewayContext,
  by: CallerContext,
  work: (json: JsonBody, context: HttpContext) => void,
): void {
  readJsonBody(context, by.caller, gateway.limits, (json) => {
    if (!context.isOpen) return;
    // The request began before the shutdown, but its body is complete only now.
    if (gateway.isDraining()) sendError(context, dialect, STOPPING);
    else if (json instanceof CallError) sendError(context, dialect, json);
    else {
      sendingErrors(context, dialect, () => {
        gateway.repeated.serve(context, json, by, (shared) => {
          sendingErrors(shared, dialect, () => work(json, shared));
        });
      });
    }
  });
}

/** An endpoint for GET: authenticates the caller before `work`, which may throw. */
function getEndpoint(
  path: string,
  dialectOf: (context: HttpContext) => GatewayDialect,
  gateway: GatewayContext,
  work: (context: HttpContext, callerContext: CallerContext, dialect: GatewayDialect) => void,
): Endpoint {
  const serve = (context: HttpContext, dialect: GatewayDialect) =>
    authenticated(context, dialect, ['GET', 'HEAD'], gateway, (callerContext) =>
      work(context, callerContext, dialect),
    );
  return {
    path,
    serves: 'below',
    handle: (context) => serve(context, dialectOf(context)),
    refuse: (context, error) => sendError(context, dialectOf(context), error),
  };
}

function endpoint(
  path: string,
  dialect: GatewayDialect,
  methods: readonly string[],
  gateway: GatewayContext,
  work: (context: HttpContext, callerContext: CallerContext) => void,
): Endpoint {
  return {
    path,
    handle: (context) =>
      authenticated(context, dialect, methods, gateway, (callerContext) =>
        work(context, callerContext),
      ),
    refuse: (context, error) => sendError(context, dialect, error),
  };
}

/** Authenticates the caller of a request before `then`, which may throw. */
export function authenticated(
  context: HttpContext,
  dialect: GatewayDialect,
  methods: readonly string[],
  gateway: GatewayContext,
  then: (callerContext: CallerContext) => void,
): void {
  const { authenticator, sessionOf, isDraining } = gateway;
  const { method = '', url = '' } = context.request;
  if (!methods.includes(method)) return refuseMethod(context, dialect, methods, url);
  if (isDraining()) return sendError(context, dialect, STOPPING);
  authenticateApiKey(context, authenticator).then(
    (known) => {
      if (!context.isOpen) return;
      if (isDraining()) return sendError(context, dialect, STOPPING);
      context.moreHeaders = gateway.limitHeaders(dialect, known);
      const caller = withClientInfo(known, readUserAgent(context.request.headers['user-agent']));
      sendingErrors(context, dialect, () => then({ caller, session: sessionOf(context) }));
    },
    (thrown: unknown) => sendError(context, dialect, CallError.from(thrown)),
  );
}

const METHOD_NOT_ALLOWED = 405;

function refuseMethod(
  context: HttpContext,
  dialect: GatewayDialect,
  methods: readonly string[],
  url: string,
): void {
  const allow = methods.join(', ');
  const [path = ''] = url.split('?');
  const error = new CallError('bad_request', `${path.slice(0, 200)} answers ${allow} only.`);
  const errorResponse = (thrown: CallError, reqId: string) => ({
    ...dialect.errorResponse(thrown, reqId),
    status: METHOD_NOT_ALLOWED,
  });
  sendError(context, { ...dialect, errorResponse }, error, undefined, ['allow', allow]);
}

/** Runs `work` and sends its errors in the format of the dialect, bugs included. */
export function sendingErrors(
  context: HttpContext,
  dialect: GatewayDialect,
  work: () => void,
): void {
  try {
    work();
  } catch (thrown) {
    sendError(context, dialect, CallError.from(thrown));
  }
}

/** The endpoint of chats in one dialect. */
export function chatEndpoint(
  path: string,
  dialect: GatewayDialect,
  chats: ChatStreams,
  gateway: GatewayContext,
): Endpoint {
  return postEndpoint(path, dialect, gateway, (context, { body, sha256 }, { caller, session }) => {
    const { headers } = context.request;
    const chat = dialect.readChat(body, readHeaderOptions(headers), headers);
    chats.serve(context, dialect, chat, { caller, session, sha256 });
  });
}

/** The endpoint of Anthropic's token count. */
export function countEndpoint(
  path: string,
  dialect: GatewayDialect,
  unaryCalls: UnaryCalls,
  gateway: GatewayContext,
): Endpoint {
  return postEndpoint(path, dialect, gateway, (context, { body, sha256 }, callerContext) => {
    const call = {
      tool: GATEWAY_OPERATIONS.countTokens,
      args: readTokenCount(body),
      sha256,
      write: ({ content }: { content?: unknown }) =>
        writeTokenCount((content as GatewayTokens).tokens),
    };
    unaryCalls.serve(context, dialect, call, callerContext);
  });
}

/** The endpoint of OpenAI's embeddings. */
export function embeddingsEndpoint(
  path: string,
  dialect: GatewayDialect,
  unaryCalls: UnaryCalls,
  gateway: GatewayContext,
): Endpoint {
  return postEndpoint(path, dialect, gateway, (context, { body, sha256 }, callerContext) => {
    const { request, encoding } = readEmbeddings(body);
    const { reqId } = context;
    unaryCalls.serve(
      context,
      dialect,
      {
        tool: GATEWAY_OPERATIONS.embeddings,
        args: request,
        sha256,
        write: (envelope) =>
          writeEmbeddings(
            { reqId, answer: envelope.content as GatewayVectors, envelope },
            encoding,
          ),
      },
      callerContext,
    );
  });
}

const MODEL_WRITERS = {
  openai: { writeModel: writeOpenAiModel, writeModels: writeOpenAiModels },
  anthropic: { writeModel: writeAnthropicModel, writeModels: writeAnthropicModels },
} as const;

/**
 * The endpoint of the model list. Both vendors have it at the same path; Anthropic's clients send
 * `anthropic-version`.
 */
export function modelsEndpoint(
  path: string,
  dialects: { readonly openai: GatewayDialect; readonly anthropic: GatewayDialect },
  unaryCalls: UnaryCalls,
  gateway: GatewayContext,
): Endpoint {
  const dialectOf = ({ request }: HttpContext) =>
    request.headers['anthropic-version'] === undefined ? dialects.openai : dialects.anthropic;
  return getEndpoint(path, dialectOf, gateway, (context, callerContext, dialect) => {
    const { writeModel, writeModels } = MODEL_WRITERS[dialect.name];
    const { url = '' } = context.request;
    const id = modelIdIn(path, url);
    const query = new URL(url, 'http://localhost').searchParams;
    const call = {
      tool: GATEWAY_OPERATIONS.models,
      args: id === undefined ? {} : { id },
      write({ content }: { content?: unknown }) {
        const models = content as GatewayModels;
        return id === undefined ? writeModels(models, query) : writeModel(models, id);
      },
    };
    unaryCalls.serve(context, dialect, call, callerContext);
  });
}

/** The model id in a path below `path`; it may contain slashes. */
function modelIdIn(path: string, url: string): string | undefined {
  const target = url.startsWith('/') ? url : new URL(url, 'http://localhost').pathname;
  const [pathname = ''] = target.split('?');
  const rest = pathname.slice(path.length + 1);
  if (rest === '') return undefined;
  try {
    return decodeURIComponent(rest);
  } catch {
    // An invalid escape is used literally; no model has such a name.
    return rest;
  }
}
