import type { AskAnswer, AskedBy, AskListener, AskRequest, Manager } from '#core/ask.ts';
import { asksModels } from '#core/asks-models.ts';
import { CallError } from '#core/call-error.ts';
import type { Call, Progress } from '#core/call.ts';
import type { Json } from '#core/json.ts';
import type { Log, SpanOptions, Tracer } from '#core/telemetry.ts';
import type { Answers, Asking, ClientAbility, LogLevel } from '#core/question.ts';
import type { ToolAnswer, ToolContext } from '#core/tool.ts';
import { withoutConsent } from './consent.ts';
import {
  cancelOf,
  signalOf,
  tellCheckpoint,
  tellLog,
  tellProgress,
  type Flight,
} from './flight.ts';

export interface RunToolDeps {
  readonly log: Log;
  readonly tracer: Tracer;
  readonly manager: Pick<Manager, 'ask'>;
}

/** Runs the tool of a flight inside a span, by OpenTelemetry's conventions for MCP. */
export function runTool(
  flight: Flight,
  { log, tracer, manager }: RunToolDeps,
): Promise<ToolAnswer | Asking> {
  const { tool, first } = flight;
  if (tracer.isOff) return runPlain(flight, log, manager);
  return tracer.span(`tools/call ${tool.name}`, spanOptions(flight), () =>
    tool.run(first.draft.args, new Context(flight, log, manager)),
  );
}

async function runPlain(
  flight: Flight,
  log: Log,
  manager: RunToolDeps['manager'],
): Promise<ToolAnswer | Asking> {
  return flight.tool.run(flight.first.draft.args, new Context(flight, log, manager));
}

/** A class for its getters: most tools look at neither signal nor log, and on a prototype they cost a call nothing. */
class Context implements ToolContext {
  readonly reqId: Call['reqId'];
  readonly tool: string;
  readonly args: Call['args'];
  readonly caller: Call['caller'];
  readonly deadline: Call['deadline'];
  readonly metadata: Call['metadata'];
  readonly answers: Answers;
  readonly #flight: Flight;
  readonly #log: Log;
  readonly #manager: RunToolDeps['manager'];

  constructor(flight: Flight, log: Log, manager: RunToolDeps['manager']) {
    const { first } = flight;
    this.reqId = first.reqId;
    this.tool = flight.tool.name;
    this.args = first.draft.args;
    this.caller = first.request.caller;
    this.deadline = flight.deadline;
    this.metadata = first.metadata;
    this.answers = withoutConsent(first.draft.answers);
    this.#flight = flight;
    this.#log = log;
    this.#manager = manager;
  }

  get signal(): AbortSignal {
    return signalOf(this.#flight);
  }

  get log(): Log {
    return this.#log.with({ req_id: this.reqId, tool: this.tool });
  }

  get askable(): readonly ClientAbility[] {
    return this.#flight.first.request.askable ?? [];
  }

  async ask(request: AskRequest, listener: AskListener = {}): Promise<AskAnswer> {
    if (!asksModels(this.#flight.tool)) throw undeclaredAsk(this.tool);
    return this.#manager.ask(request, askedBy(this, this.#flight), {
      ...listener,
      onReport: (report) => {
        this.#flight.asked.push(report);
        listener.onReport?.(report);
      },
    });
  }

  get resumedFrom(): Json | undefined {
    return this.#flight.first.request.resumedFrom;
  }

  checkpoint(state: Json): void {
    tellCheckpoint(this.#flight, state);
  }

  say(level: LogLevel, data: unknown): void {
    tellLog(this.#flight, level, data);
  }

  progress(step: Progress): void {
    tellProgress(this.#flight, step);
  }
}

/** Scopes decide by what a tool declares: what is free must not spend. */
function undeclaredAsk(tool: string): CallError {
  return new CallError('internal', `${tool} asks a model, but declares neither lane nor wouldAsk.`);
}

function askedBy(context: ToolContext, flight: Flight): AskedBy {
  const { reqId, tool, caller, deadline } = context;
  const { category, affinity } = flight.tool;
  return {
    reqId,
    tool,
    caller,
    deadline,
    signal: cancelOf(flight),
    category,
    ...(affinity && { affinity }),
    nextAttempt: () => (flight.attempts += 1),
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
