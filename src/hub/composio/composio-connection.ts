import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import { asList, asObject, type JsonObject, type Unknown } from '#core/json/json.ts';
import { reason } from '#core/messages/reasons.ts';
import { anySignal, LightAbortController, type AbortSignalLike } from '#core/net/abort.ts';
import type { Connection, UpstreamRequestOptions } from '../connection/connection.ts';
import {
  callAppTool,
  completeMetaAnswer,
  MULTI_EXECUTE,
  type ComposioCallDeps,
} from './call-composio-tool.ts';
import type { ComposioTools } from './composio-tools.ts';
import { renameBatch, renameWithinItems, slugsOfBatch } from './read-batch-items.ts';
import { protocolError } from '../connection/rpc-client.ts';
import { readOuter } from './read-execution.ts';
import { sandboxToolsOf } from './sandboxes.ts';

/** Statuses for a session that the vendor no longer knows. */
export const GONE: ReadonlySet<number> = new Set([404, 410]);

interface ComposioConnectionOptions extends ComposioCallDeps {
  /** To the MCP server of the session, which has the meta tools. */
  readonly inner: Connection;
  readonly tools: ComposioTools;
  /** The vendor no longer knows the session. */
  readonly onGone: (error: CallError) => void;
}

/**
 * The MCP server of a session, with the tools of all apps beside its meta tools: these run over the
 * REST interface, and their lists come from there.
 */
export function createComposioConnection(options: ComposioConnectionOptions): Connection {
  const { server, clock, inner, tools, session } = options;
  /** The schemas of the meta tools. */
  const meta = new Map<string, JsonObject>();
  let pending = 0;

  async function list(params: JsonObject, request: UpstreamRequestOptions): Promise<JsonObject> {
    const { cursor } = params;
    if (typeof cursor === 'string' && tools.isCursor(cursor)) {
      return within(request, (signal) => tools.page(session, cursor, signal));
    }
    const result = await inner.request('tools/list', params, request);
    for (const tool of asList(result['tools'])) {
      const { name, inputSchema } = asObject(tool) ?? {};
      if (typeof name === 'string') meta.set(name, (asObject(inputSchema) ?? {}) as JsonObject);
    }
    return typeof result['nextCursor'] === 'string'
      ? result
      : { ...result, nextCursor: tools.firstCursor };
  }

  async function call(params: JsonObject, request: UpstreamRequestOptions): Promise<JsonObject> {
    const { name, arguments: args } = params;
    const slug = typeof name === 'string' ? name : '';
    const given: Unknown = asObject(args) ?? {};
    if (meta.size === 0) await list({}, request);
    return within(request, async (signal) => {
      const about = { ...request, signal };
      const schema = meta.get(slug);
      if (!schema) return callAppTool(options, slug, given, about);
      const own =
        slug === MULTI_EXECUTE
          ? await renameWithinItems(renameBatch(schema, given), (tool) =>
              options.infoOf(tool, signal),
            )
          : given;
      const sent = { ...params, arguments: own as JsonObject };
      const result = await inner.request('tools/call', sent, request);
      const answer = readOuter(result);
      return answer ? completeMetaAnswer(options, answer, about) : result;
    });
  }

  /** Work over the REST interface, within the time of the request. */
  async function within<T>(
    { timeoutMs, signal }: UpstreamRequestOptions,
    work: (signal: AbortSignalLike) => Promise<T>,
  ): Promise<T> {
    const late = new LightAbortController();
    const error = codedError('timeout', reason('server_timeout', { server, timeoutMs }));
    const timer = clock.after(timeoutMs, () => late.abort(error));
    const both = signal ? anySignal(signal, late) : undefined;
    try {
      return await work(both?.signal ?? late);
    } finally {
      timer.stop();
      both?.dispose();
    }
  }

  /** A session that is gone is told as such, so that the call is made again in a new one. */
  function toGone(thrown: unknown): CallError {
    // Data that is nested too deeply can be parsed, and not written again.
    if (thrown instanceof RangeError) return protocolError(server, 'nests data too deeply');
    const error = CallError.from(thrown);
    const because = error.reason;
    const isGone =
      because?.code === 'server_session_ended' ||
      (because?.code === 'server_http_status' && GONE.has(because.params.status));
    if (!isGone) return error;
    const gone = codedError('network', reason('server_session_ended', { server }), {
      cause: error,
    });
    options.onGone(gone);
    return gone;
  }

  return {
    info: inner.info,
    get pending() {
      return inner.pending + pending;
    },
    async request(method, params, request) {
      pending += 1;
      try {
        if (method === 'tools/list') return await list(params, request);
        if (method === 'tools/call') return await call(params, request);
        return await inner.request(method, params, request);
      } catch (thrown) {
        throw toGone(thrown);
      } finally {
        pending -= 1;
      }
    },
    admit: (slug, request) => within(request, (signal) => tools.admit(slug, signal)),
    innerTools({ name, arguments: args }) {
      if (name === MULTI_EXECUTE) return slugsOfBatch(asObject(args) ?? {});
      return typeof name === 'string' ? sandboxToolsOf(name) : [];
    },
    close: () => inner.close(),
  };
}
