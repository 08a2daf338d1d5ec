import type { Caller } from '#core/calls/call.ts';
import type { UpstreamConfig } from '#core/hub/upstream-config.ts';
import { isStatedReading } from '#core/hub/stated-reading.ts';
import type { Upstream, UpstreamTool } from '#core/hub/upstream.ts';
import type { JsonObject } from '#core/json/json.ts';
import type { Tracer } from '#core/telemetry/telemetry.ts';
import type { Icon } from '#core/tools/content.ts';
import type { NoAsk, Tool, ToolAnnotations } from '#core/tools/tool.ts';
import { matchesWildcard } from '#core/text/wildcard.ts';
import { isObject } from '#mcp/json-rpc.ts';
import { upstreamToolName } from '../catalogue/tool-name.ts';
import type { OngoingCalls } from '../input/ongoing-calls.ts';
import { callUpstreamTool } from './call-upstream-tool.ts';
import { quarantinedTool } from '../pins/quarantined-tool.ts';
import { checkArguments } from './read-arguments.ts';

export interface UpstreamToolsOptions {
  /** Of the server; a bundled one has those that apply to it. */
  readonly config: Pick<
    UpstreamConfig,
    'callTimeoutMs' | 'disabledTools' | 'sampling' | 'scan' | 'shared'
  >;
  readonly tracer: Tracer;
  readonly ongoing: OngoingCalls;
  /** Reads the arguments of a tool by its input schema; default: checks them. */
  readonly readArguments?: typeof checkArguments;
  /** A result names a resource of the server by its own address. */
  readonly onLink?: (caller: Caller, server: string, uri: string) => void;
}

/** Time for the answer of the hub itself, which says more than that of the deadline. */
const GRACE_MS = 1_000;
const MAY_ASK: NoAsk = { noAskBecause: 'only the server knows whether it will ask a model' };
const ANY_ARGUMENTS: JsonObject = { type: 'object' };

/** The tools of a server as tools of this one, without those that are switched off. */
export function toUpstreamTools(
  upstream: Upstream,
  options: UpstreamToolsOptions,
): readonly Tool[] {
  const { disabledTools } = options.config;
  const isEnabled = ({ name }: { readonly name: string }) =>
    !disabledTools.some((pattern) => matchesWildcard(name, pattern));
  return [
    ...(upstream.tools() ?? [])
      .filter(isEnabled)
      .map((tool) => toUpstreamTool(upstream, tool, options)),
    ...(upstream.review?.().quarantined ?? [])
      .filter(isEnabled)
      .map((tool) => quarantinedTool(upstream.name, tool)),
  ];
}

/** One tool of a server as a tool of this one. */
export function toUpstreamTool(
  upstream: Upstream,
  { name: tool, definition }: UpstreamTool,
  options: UpstreamToolsOptions,
): Tool {
  const { config, readArguments = checkArguments } = options;
  const { callTimeoutMs, sampling } = config;
  const server = upstream.name;
  const name = upstreamToolName(server, tool);
  const { title, description, inputSchema, outputSchema, icons } = definition;
  const annotations = readAnnotations(definition['annotations'], isStatedReading(server, tool));
  const schema = isObject(inputSchema) ? (inputSchema as JsonObject) : ANY_ARGUMENTS;
  return {
    name,
    title: typeof title === 'string' ? title : tool,
    description: typeof description === 'string' ? description : '',
    inputSchema: schema,
    ...(isObject(outputSchema) && { outputSchema: outputSchema as JsonObject }),
    annotations,
    ...(Array.isArray(icons) && { icons: icons as unknown as readonly Icon[] }),
    tier: 'user',
    category: 'fast_response',
    profile: 'hidden',
    origin: { server, tool },
    // Both are claims of the server; together they mean that one answer serves two equal calls.
    coalesce: annotations.readOnlyHint && annotations.idempotentHint,
    timeoutMs: callTimeoutMs + GRACE_MS,
    background: 'auto',
    resumable: false,
    parse: (args) => readArguments(schema, args),
    run: (args, context) =>
      callUpstreamTool({ ...options, upstream, name, tool, schema }, args, context),
    // It may cost money, which scopes and budgets must know.
    ...(sampling === 'models' && { previewAsk: () => MAY_ASK }),
  };
}

/** A tool that does not say what it does may do anything, unless we know it. */
function readAnnotations(given: unknown, isKnownToRead: boolean): ToolAnnotations {
  const hints = isObject(given) ? given : {};
  const isSilent = hints['readOnlyHint'] === undefined && hints['destructiveHint'] !== true;
  const isReading = hints['readOnlyHint'] === true || (isSilent && isKnownToRead);
  return {
    ...hints,
    readOnlyHint: isReading,
    destructiveHint: !isReading && hints['destructiveHint'] !== false,
    idempotentHint: hints['idempotentHint'] === true,
    openWorldHint: hints['openWorldHint'] !== false,
  };
}
