import type { UpstreamTool } from '#core/hub/upstream.ts';
import type { JsonObject } from '#core/json/json.ts';
import { asList } from '#core/json/json.ts';
import type { UpstreamTransport } from '#core/hub/upstream-config.ts';
import { isObject, type Members } from '#mcp/json-rpc.ts';
import { hasInvalidMirrors } from '#mcp/request-headers.ts';
import type { Connection } from '../connection/connection.ts';
import { protocolError } from '../connection/rpc-client.ts';

interface ListToolsOptions {
  readonly server: string;
  readonly maxTools: number;
  /** Tools that the transport cannot call are left out. */
  readonly transport: UpstreamTransport;
  /** For each page. */
  readonly timeoutMs: number;
}

export interface ListedTools {
  /** Sorted by name. */
  readonly tools: readonly UpstreamTool[];
  /** At least so many entries: without a name, repeated, of tools that cannot be called, or beyond the limit. */
  readonly leftOut: number;
}

const MAX_PAGES = 1_000;
const MAX_NAME_CHARS = 256;

/** Reads all pages of a server's tools. */
export async function listUpstreamTools(
  connection: Connection,
  { server, maxTools, timeoutMs, transport }: ListToolsOptions,
): Promise<ListedTools> {
  if (!isObject(connection.info.capabilities['tools'])) return { tools: [], leftOut: 0 };
  const tools = new Map<string, UpstreamTool>();
  const cursors = new Set<string>();
  const hasHeaders = transport === 'http' && connection.info.era === 'modern';
  let leftOut = 0;
  let params: JsonObject = {};
  for (let page = 0; page < MAX_PAGES; page++) {
    const result = await connection.request('tools/list', params, { timeoutMs });
    const entries = result['tools'];
    if (!Array.isArray(entries)) throw protocolError(server, 'lists its tools without a list');
    for (const entry of asList(entries)) {
      const name = isObject(entry) ? entry['name'] : undefined;
      const isSound = typeof name === 'string' && name !== '' && name.length <= MAX_NAME_CHARS;
      const isRefused = hasHeaders && isObject(entry) && cannotBeCalled(entry);
      if (!isSound || isRefused || tools.has(name) || tools.size >= maxTools) leftOut += 1;
      else tools.set(name, { name, definition: entry as JsonObject });
    }
    const { nextCursor } = result;
    if (typeof nextCursor !== 'string') break;
    if (tools.size >= maxTools) {
      // Those of pages that are not read are not counted.
      leftOut += 1;
      break;
    }
    // A server that gives a cursor twice would be read forever.
    if (cursors.has(nextCursor)) throw protocolError(server, 'repeats a cursor in tools/list');
    cursors.add(nextCursor);
    params = { cursor: nextCursor };
  }
  const sorted = [...tools.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
  return { tools: sorted, leftOut };
}

/** It wants its arguments repeated in headers, in a way that is forbidden. */
function cannotBeCalled({ inputSchema }: Members): boolean {
  return isObject(inputSchema) && hasInvalidMirrors(inputSchema);
}
