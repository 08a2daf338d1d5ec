import type { Caller } from '#core/calls/call.ts';
import type { Envelope } from '#core/calls/envelope.schema.ts';
import { CallError } from '#core/errors/call-error.ts';
import {
  GATEWAY_OPERATIONS,
  type GatewayStoredResponse,
  type GatewayTokens,
} from '#core/llm/gateway.ts';
import type { ResponseStore, StoredResponse } from '#core/stores/responses.ts';
import { oneLine } from '#core/text/text.ts';
import type { Endpoint } from '../http/endpoint-dispatcher.ts';
import type { HttpContext } from '../http/http-context.ts';
import type { ChatStreams } from '../gateway/chat-streams.ts';
import {
  authenticated,
  sendingErrors,
  withJsonBody,
  type GatewayContext,
} from '../gateway/endpoints.ts';
import { sendError } from '../gateway/error-response.ts';
import { fieldProblem } from '../gateway/fields.ts';
import { readHeaderOptions } from '../gateway/request-options.ts';
import type { CallerContext, JsonBody } from '../gateway/request.ts';
import type { UnaryCall, UnaryCalls } from '../gateway/unary-calls.ts';
import { createResponsesDialect } from './dialect.ts';
import { readItemMessages } from './messages.ts';
import { referencedResponses, refuseReference, storedItems } from './input-items.ts';
import { listInputItems } from './list-input-items.ts';
import { readResponsesRequest, type ResponsesRequest } from './request.ts';
import { toResponsesChat, type StoredContext } from './respond.ts';

interface ResponsesDeps {
  readonly chats: ChatStreams;
  readonly unary: UnaryCalls;
  readonly store: ResponseStore;
}

type Action =
  | { readonly is: 'create' | 'count' }
  | { readonly is: 'read' | 'delete' | 'cancel' | 'list_input'; readonly id: string };

/** The endpoints of the Responses API at and below `path`. */
export function responsesEndpoint(
  path: string,
  { chats, unary, store }: ResponsesDeps,
  gateway: GatewayContext,
): Endpoint {
  const dialect = createResponsesDialect();

  function create(context: HttpContext, { body, sha256 }: JsonBody, by: CallerContext): void {
    const request = readResponsesRequest(body, readHeaderOptions(context.request.headers));
    const { principal } = by.caller;
    const start = (stored: StoredContext) => {
      const chat = toResponsesChat(request, stored, { store, principal });
      chats.serve(context, dialect, chat, { ...by, sha256 });
    };
    withStored(context, request, by, start);
  }

  function count(context: HttpContext, { body, sha256 }: JsonBody, by: CallerContext): void {
    const request = readResponsesRequest(body, {});
    withStored(context, request, by, ({ previous }) => {
      const items = [...previous.flatMap(storedItems), ...request.items];
      const args = { ask: { ...request.ask, messages: readItemMessages(items).messages } };
      const write = ({ content }: Envelope) =>
        JSON.stringify({
          object: 'response.input_tokens',
          input_tokens: (content as GatewayTokens).tokens,
        });
      const call = { tool: GATEWAY_OPERATIONS.countTokens, args, sha256, write };
      unary.serve(context, dialect, call, by);
    });
  }

  /** Calls `then` with the stored responses that the request needs. */
  function withStored(
    context: HttpContext,
    request: ResponsesRequest,
    { caller }: CallerContext,
    then: (stored: StoredContext) => void,
  ): void {
    const { previousId, items } = request;
    const references = referencedResponses(items);
    if (previousId === undefined && references.length === 0) {
      return then({ previous: [], referenced: [] });
    }
    loadStored(store, caller, previousId, request.items, references).then(
      (stored) => {
        if (context.isOpen) sendingErrors(context, dialect, () => then(stored));
      },
      (thrown: unknown) => sendError(context, dialect, CallError.from(thrown)),
    );
  }

  function useStored(
    context: HttpContext,
    action: Extract<Action, { readonly id: string }>,
    by: CallerContext,
  ): void {
    const { readResponse, deleteResponse } = GATEWAY_OPERATIONS;
    const { id } = action;
    const call: UnaryCall = {
      tool: action.is === 'delete' ? deleteResponse : readResponse,
      args: { id },
      write: ({ content }) => {
        if (action.is === 'delete') {
          return JSON.stringify({ id, object: 'response', deleted: true });
        }
        const { stored } = content as GatewayStoredResponse;
        switch (action.is) {
          case 'read':
            refuseReplay(queryOf(context));
            return stored.response;
          case 'list_input':
            return listInputItems(stored, queryOf(context));
          case 'cancel':
            throw notCancellable();
        }
      },
    };
    unary.serve(context, dialect, call, by);
  }

  function serve(context: HttpContext, action: Action, methods: readonly string[]): void {
    authenticated(context, dialect, methods, gateway, (by) => {
      if ('id' in action) return useStored(context, action, by);
      const work = action.is === 'create' ? create : count;
      withJsonBody(context, dialect, gateway, by, (json, shared) => work(shared, json, by));
    });
  }

  return {
    path,
    serves: 'below',
    handle(context) {
      const { method = '' } = context.request;
      const found = findAction(pathBelow(context, path), method);
      if (found) serve(context, found.action, found.methods);
      else sendError(context, dialect, unknownPath(context));
    },
    refuse: (context, error) => sendError(context, dialect, error),
  };
}

const POST = ['POST'];
const GET = ['GET', 'HEAD'];
const ITEM = ['GET', 'HEAD', 'DELETE'];

function findAction(
  below: readonly string[],
  method: string,
): { readonly action: Action; readonly methods: readonly string[] } | undefined {
  const [id, part, ...more] = below;
  if (id === undefined) return { action: { is: 'create' }, methods: POST };
  if (more.length > 0) return undefined;
  if (part === undefined) {
    if (id === 'input_tokens') return { action: { is: 'count' }, methods: POST };
    if (id === 'compact') return undefined;
    return { action: { is: method === 'DELETE' ? 'delete' : 'read', id }, methods: ITEM };
  }
  if (part === 'cancel') return { action: { is: 'cancel', id }, methods: POST };
  if (part === 'input_items') return { action: { is: 'list_input', id }, methods: GET };
  return undefined;
}

function pathBelow({ request: { url = '' } }: HttpContext, path: string): readonly string[] {
  const { pathname } = new URL(url, 'http://localhost');
  return pathname
    .slice(path.length)
    .split('/')
    .filter((part) => part !== '');
}

function queryOf({ request: { url = '' } }: HttpContext): URLSearchParams {
  return new URL(url, 'http://localhost').searchParams;
}

function unknownPath({ request: { url = '' } }: HttpContext): CallError {
  return new CallError('not_found', `Nothing is served at ${url.slice(0, 200)}.`, {
    fix: 'Use /v1/responses, /v1/responses/input_tokens, or /v1/responses/{id} with /input_items or /cancel.',
  });
}

/** Events are kept for responses that run in the background, which there are none of. */
function refuseReplay(query: URLSearchParams): void {
  if (query.get('stream') !== 'true') return;
  const fix = 'Leave it out: the response is complete.';
  throw fieldProblem('stream', 'is not supported for a stored response', fix);
}

function notCancellable(): CallError {
  return fieldProblem(
    'response_id',
    'names a response that does not run in the background, and only those can be cancelled',
    'Close the connection of a running request to cancel it.',
  );
}

/** Loads the chain and the referenced responses of a request. Rejects with the client's error. */
async function loadStored(
  store: Pick<ResponseStore, 'chain' | 'get'>,
  { principal }: Caller,
  previousId: string | undefined,
  items: ResponsesRequest['items'],
  references: readonly string[],
): Promise<StoredContext> {
  const previous = previousId === undefined ? [] : await loadChain(store, previousId, principal);
  const referenced = await Promise.all(references.map((id) => store.get(id, principal)));
  if (referenced.includes(undefined)) {
    const isMissing = new Set(references.filter((_, at) => !referenced[at]));
    for (const { item, field } of items) {
      const ids = item['type'] === 'item_reference' ? referencedResponses([{ item, field }]) : [];
      if (ids.some((id) => isMissing.has(id))) refuseReference(item, field);
    }
  }
  return { previous, referenced: referenced.filter((each) => each !== undefined) };
}

async function loadChain(
  store: Pick<ResponseStore, 'chain'>,
  id: string,
  principal: string,
): Promise<readonly StoredResponse[]> {
  const chain = await store.chain(id, principal);
  if (typeof chain !== 'string') return chain;
  const field = 'previous_response_id';
  if (chain === 'too_long') {
    throw fieldProblem(field, 'names a conversation that is too long', 'Start a new one.');
  }
  const named = `Previous response with id "${oneLine(id, 80)}"`;
  const message =
    chain === 'broken'
      ? `${named} continues a response that was deleted or has expired.`
      : `${named} not found.`;
  throw new CallError('not_found', message, {
    field,
    fix: 'Send the conversation as input. Deleted and expired responses cannot be continued.',
  });
}
