import type { CallRequest } from '#core/calls/calls.ts';
import type { Tool } from '#core/tools/tool.ts';
import type { HeldJob } from './job-watch.ts';
import type { Simulation } from './simulation.ts';

/** A call that reached `calls/`. */
export interface WatchedCall {
  readonly session: string;
  readonly tool: Tool | undefined;
  readonly startedAt: number;
  readonly startedAtStep: number;
  /** Becomes more when it is given more time. */
  timeoutMs: number;
  /** Whether its caller has set the time, so that no model that thinks makes it more. */
  readonly isTimed: boolean;
  readonly transport: string;
  readonly mark: string;
  readonly principal: string;
  /** That it was made again with. */
  readonly round: string | undefined;
  /** Whether others like it may share its work: not when it brings answers of its own. */
  readonly isShared: boolean;
  /** Whether its transport hears what comes before the answer. */
  readonly isHeard: boolean;
  /** What its caller came in with. */
  readonly credential: string | undefined;
  /** Once it is the work of a job, nobody need wait for it. */
  job: HeldJob | undefined;
  /** Its client waits no longer, but wants it done. */
  isGivenUp: boolean;
  /** Calls that may share their work have the same. */
  work: string;
  reqId: string;
  state: 'open' | 'cancelled' | 'answered';
  hasBegun: boolean;
  /** It came when the store was known to fail, and would have to be recorded. */
  mustBeRefused: boolean;
  /** Whether its transport was told a word of the answer. */
  hasSpoken: boolean;
  /** Its audit row is given to the store: whatever comes, its end is decided. */
  isDecided: boolean;
}

export function watched(
  request: CallRequest,
  tool: Tool | undefined,
  simulation: Simulation,
): WatchedCall {
  const { principal, agent = '', scopes, roots, isAnonymous = false } = request.caller;
  const { clientCapabilities = [], answers, state } = request;
  const who = [
    principal,
    agent,
    isAnonymous,
    scopes.join(),
    roots.join(),
    clientCapabilities.join(),
  ].join(' ');
  const isShared = tool?.coalesce === true && answers === undefined && state === undefined;
  return {
    session: request.session,
    transport: request.transport,
    tool,
    mark: markOf(request.args) ?? request.reqId ?? '',
    principal,
    round: state,
    isShared,
    isHeard: request.onProgress !== undefined,
    startedAt: simulation.now,
    startedAtStep: simulation.step,
    isTimed: request.timeoutMs !== undefined || request.kind === 'operation',
    timeoutMs: Math.min(request.timeoutMs ?? Infinity, tool?.timeoutMs ?? 0),
    // One that stands alone has its own id for it, later.
    work: isShared ? `${who} ${tool?.name} ${JSON.stringify(withoutMetadata(request.args))}` : '',
    job: undefined,
    isGivenUp: false,
    reqId: '',
    state: 'open',
    hasBegun: false,
    mustBeRefused: false,
    hasSpoken: false,
    credential: request.caller.credential,
    isDecided: false,
  };
}

/** Its answers come by the questions of another call, or go to them. */
export function isAskedAside({ tool, transport, mark }: WatchedCall): boolean {
  return tool?.name === 'job_result' || (transport === 'job' && !mark.startsWith('j'));
}

export function receivedBy(call: WatchedCall, request: CallRequest): CallRequest {
  if (!request.onProgress) return request;
  return {
    ...request,
    onProgress(step) {
      const { type } = step.piece ?? {};
      if (type === 'text' || type === 'tool_call') call.hasSpoken = true;
      request.onProgress?.(step);
    },
  };
}

function withoutMetadata(args: unknown): unknown {
  const { _request_metadata: _, ...rest } = (args ?? {}) as Record<string, unknown>;
  return rest;
}

/** Clients of the simulation mark their calls where no tool and no digest sees it. */
function markOf(args: unknown): string | undefined {
  const { _request_metadata } = (args ?? {}) as { _request_metadata?: { geo_location?: string } };
  return _request_metadata?.geo_location;
}
