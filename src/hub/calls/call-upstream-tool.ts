import { codedError } from '#core/errors/coded-error.ts';
import type { JsonObject } from '#core/json/json.ts';
import { reason } from '#core/messages/reasons.ts';
import type { Span } from '#core/telemetry/telemetry.ts';
import type { InputRequired } from '#core/tools/input-request.ts';
import type { ToolContext, ToolResult } from '#core/tools/tool.ts';
import { argumentHeaders, mirroredArguments } from '#mcp/request-headers.ts';
import { sanitiseAny } from '../scan/sanitise-in-steps.ts';
import { requestUpstream, type PassThroughOptions } from '../input/request-upstream.ts';
import type { UpstreamToolsOptions } from './upstream-tools.ts';
import { linksIn, readToolResult, textOfResult } from './read-tool-result.ts';

interface UpstreamToolCall extends PassThroughOptions {
  /** The name that callers use. */
  readonly name: string;
  /** The name that the server uses. */
  readonly tool: string;
  readonly onLink?: UpstreamToolsOptions['onLink'];
  /** Its input schema, which may want arguments repeated in headers. */
  readonly schema: JsonObject;
}

/** Calls a tool of an upstream, in its own span. */
export async function callUpstreamTool(
  call: UpstreamToolCall,
  args: Readonly<Record<string, unknown>>,
  context: ToolContext,
): Promise<ToolResult | InputRequired> {
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
  call: UpstreamToolCall,
  args: Readonly<Record<string, unknown>>,
  context: ToolContext,
  span?: Span,
): Promise<ToolResult | InputRequired> {
  const { upstream, name, tool, schema } = call;
  const { name: server } = upstream;
  const outcome = await requestUpstream(
    call,
    {
      method: 'tools/call',
      params: { name: tool, arguments: args as JsonObject },
      ...(mirroredArguments(schema).length > 0 && { headers: argumentHeaders(schema, args) }),
      ...(span?.traceparent !== undefined && { traceparent: span.traceparent }),
    },
    context,
  );
  if (outcome.is === 'input') return outcome.required;
  const given = readToolResult(server, outcome.result);
  const foreign = call.config.scan === 'off' ? given : await sanitiseAny(given);
  if (call.onLink) {
    for (const uri of linksIn(foreign)) call.onLink(context.caller, server, uri);
  }
  const text = textOfResult(foreign);
  if (!foreign.isError) return { text, foreign };
  const failed = reason('server_tool_failed', { server, tool: name });
  return { text, foreign, failure: codedError('tool_error', failed) };
}
