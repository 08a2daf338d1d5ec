import { codedError } from '#core/errors/coded-error.ts';
import type { Upstream, UpstreamContext } from '#core/hub/upstream.ts';
import type { JsonObject } from '#core/json/json.ts';
import { reason } from '#core/messages/reasons.ts';
import type { Span, Tracer } from '#core/telemetry/telemetry.ts';
import type { ToolContext, ToolResult } from '#core/tools/tool.ts';
import { argumentHeaders, mirroredArguments } from '#mcp/request-headers.ts';
import { readToolResult, textOfResult } from './read-tool-result.ts';

interface UpstreamToolCall {
  readonly upstream: Upstream;
  /** The name that callers use. */
  readonly name: string;
  /** The name that the server uses. */
  readonly tool: string;
  /** Its input schema, which may want arguments repeated in headers. */
  readonly schema: JsonObject;
  readonly timeoutMs: number;
  readonly tracer: Tracer;
}

/** Calls a tool of an upstream, in its own span. */
export async function callUpstreamTool(
  call: UpstreamToolCall,
  args: Readonly<Record<string, unknown>>,
  context: ToolContext,
): Promise<ToolResult> {
  const { tracer, upstream, tool } = call;
  if (tracer.isOff) return send(call, args, context);
  const attributes = {
    'mcp.method.name': 'tools/call',
    'gen_ai.tool.name': tool,
    'exai.upstream': upstream.name,
    'network.transport': upstream.transport,
  };
  return tracer.span(`tools/call ${tool}`, { attributes }, (span) =>
    send(call, args, context, span),
  );
}

async function send(
  { upstream, name, tool, schema, timeoutMs }: UpstreamToolCall,
  args: Readonly<Record<string, unknown>>,
  context: ToolContext,
  span?: Span,
): Promise<ToolResult> {
  const about: UpstreamContext = {
    caller: context.caller,
    signal: context.signal,
    timeoutMs,
    ...(mirroredArguments(schema).length > 0 && { headers: argumentHeaders(schema, args) }),
    ...(span?.traceparent !== undefined && { traceparent: span.traceparent }),
    onProgress: (step) => context.progress(step),
    onLog: (level, data) => context.logToClient(level, data),
  };
  const params = { name: tool, arguments: args as JsonObject };
  const result = await upstream.request({ method: 'tools/call', params }, about);
  const foreign = readToolResult(upstream.name, result);
  const text = textOfResult(foreign);
  if (!foreign.isError) return { text, foreign };
  const failed = reason('server_tool_failed', { server: upstream.name, tool: name });
  return { text, foreign, failure: codedError('tool_error', failed) };
}
