import type { Call } from '#core/call.ts';
import type { Log, SpanOptions, Tracer } from '#core/telemetry.ts';
import type { ToolAnswer, ToolContext } from '#core/tool.ts';
import { signalOf, tellProgress, type Flight } from './flight.ts';

/** Runs the tool of a flight inside a span, by OpenTelemetry's conventions for MCP. */
export function runTool(flight: Flight, log: Log, tracer: Tracer): Promise<ToolAnswer> {
  const { tool, first } = flight;
  return tracer.span(`tools/call ${tool.name}`, spanOptions(flight), () =>
    tool.run(first.draft.args, createContext(flight, log)),
  );
}

/** Getters where making the thing costs something: most tools use neither signal nor log. */
function createContext(flight: Flight, log: Log): ToolContext {
  const { tool, first, deadline } = flight;
  let own: Log | undefined;
  return {
    reqId: first.reqId,
    tool: tool.name,
    args: first.draft.args,
    caller: first.request.caller,
    deadline,
    metadata: first.metadata,
    get signal(): Call['signal'] {
      return signalOf(flight);
    },
    get log(): Log {
      return (own ??= log.with({ req_id: first.reqId, tool: tool.name }));
    },
    progress: (step) => tellProgress(flight, step),
  };
}

function spanOptions({ tool, first }: Flight): SpanOptions {
  const { traceparent } = first.request;
  return {
    attributes: {
      'mcp.method.name': 'tools/call',
      'gen_ai.tool.name': tool.name,
      'gen_ai.operation.name': 'execute_tool',
      'exai.req_id': first.reqId,
    },
    ...(traceparent !== undefined && { traceparent }),
  };
}
