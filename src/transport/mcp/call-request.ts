import type { Caller } from '#core/calls/call.ts';
import type { CallKind, CallRequest } from '#core/calls/calls.ts';
import { withClientInfo } from '#core/calls/client-info.ts';
import type { JsonObject } from '#core/json/json.ts';
import type { Mutable } from '#core/mutable.ts';
import type { Clock } from '#core/time/clock.ts';
import { LOG_LEVELS, type InputResponses, type LogLevel } from '#core/tools/input-request.ts';
import type { WrapperName } from '#core/tools/tool-name.ts';
import { readClientCapabilities, readInputRequestKinds } from '#mcp/client-capabilities.ts';
import { isObject, isRequestId, type Members, type RequestId } from '#mcp/json-rpc.ts';
import { BACKGROUND_KEY, STREAM_KEY, WAIT_KEY, WHOLE_KEY } from '#mcp/meta-keys.ts';
import {
  parseClientInfo,
  readCapabilities,
  readClientInfo,
  readClientName,
  readLogLevel,
} from '#mcp/protocol-meta.ts';
import type { RpcRequest } from '#mcp/read-message.ts';
import { createProgress, type Heartbeat, type ProgressOptions } from './progress.ts';
import type { BackgroundPolicyDecider, BackgroundPreference } from './background-policy.ts';
import type { CallInFlight } from './in-flight.ts';
import type { McpSink } from './mcp-sink.ts';
import type { LegacyClient } from './methods.ts';

export interface ToCallRequestOptions {
  readonly sink: McpSink;
  readonly clock: Clock;
  readonly caller: Caller;
  readonly session: string;
  readonly transport: string;
  /** What a legacy client declared in `initialize`. */
  readonly legacy: Readonly<LegacyClient>;
  readonly heartbeat: Heartbeat;
  /** Undefined where calls cannot be detached. */
  readonly handoffPolicy: BackgroundPolicyDecider | undefined;
  readonly limits: { readonly maxTokens: number | undefined };
}

/** Converts the parsed parameters to a `CallRequest`. */
export function toCallRequest(
  callParams: CallParams,
  call: CallInFlight,
  { params }: RpcRequest,
  options: ToCallRequestOptions,
): CallRequest {
  const { sink, caller, transport, session, legacy, handoffPolicy, limits } = options;
  const { kind, tool, args, via, progressToken: token, traceparent, answers, state } = callParams;
  const isModern = call.era === 'modern';
  const readKinds = handoffPolicy ? readClientCapabilities : readInputRequestKinds;
  const inputRequestKinds = isModern
    ? readKinds(readCapabilities(params))
    : legacy.inputRequestKinds;
  const request: Mutable<CallRequest> = {
    kind,
    tool,
    args,
    caller: isModern
      ? withClientInfo(caller, parseClientInfo(readClientInfo(params)))
      : legacy.caller,
    transport: transport,
    session,
    clientCapabilities: inputRequestKinds,
    onClientLog: createClientLog(sink, call, () =>
      isModern ? readLogLevel(params) : legacy.logLevel,
    ),
  };
  const logLevel = isModern ? readLogLevel(params) : legacy.logLevel;
  if (logLevel !== undefined) request.clientLogLevel = logLevel;
  if (kind === 'tool') {
    if (handoffPolicy) {
      const client = isModern ? readClientName(readClientInfo(params)) : legacy.name;
      request.background = handoffPolicy.decide(callParams, inputRequestKinds, client);
    }
    const { maxTokens } = limits;
    if (maxTokens !== undefined && callParams.takes === 'head') request.maxTokens = maxTokens;
  }
  if (via !== undefined) request.via = via;
  if (isModern && answers) request.answers = answers;
  if (isModern && state !== undefined) request.state = state;
  if (traceparent !== undefined) request.traceparent = traceparent;
  if (token !== undefined) {
    const progress = createProgress({
      sink,
      clock: options.clock,
      token,
      call,
      text: callParams.text,
    });
    call.progress = progress;
    request.onProgress = progress.step;
    request.onAdmitted = progress.admitted;
    options.heartbeat.start();
  }
  return request;
}

interface CallParams {
  readonly kind: CallKind;
  /** Name of the tool or prompt; URI of a resource. */
  readonly tool: string;
  readonly args: Members;
  /** The wrapper that named the tool. */
  readonly via?: WrapperName;
  readonly progressToken: RequestId | undefined;
  /** Whether progress carries the text of the answer or its length. */
  readonly text: ProgressOptions['text'];
  /** Whether the client wants to wait or to detach the call, if it says so. */
  readonly preference: BackgroundPreference;
  /** Whether the client accepts long answers whole, or only the first page. */
  readonly takes: 'whole' | 'head';
  readonly traceparent: string | undefined;
  /** Answers to earlier input requests; modern era only. */
  readonly answers: InputResponses | undefined;
  readonly state: string | undefined;
}

const NO_ARGS: Members = Object.freeze({});

// A valid value has 55 characters; a long invalid one would be copied into every span.
const MAX_TRACEPARENT_CHARS = 256;

/** Reads the parameters of a call, or returns a sentence about the invalid field. */
export function readCallParams(kind: CallKind, params: Members | undefined): CallParams | string {
  const tool = kind === 'resource' ? params?.['uri'] : params?.['name'];
  if (typeof tool !== 'string') {
    return kind === 'resource'
      ? 'uri must be the address of a resource.'
      : `name must be the name of a ${kind}.`;
  }
  const args = params?.['arguments'] ?? NO_ARGS;
  if (!isObject(args) || params?.['arguments'] === null) {
    return 'arguments must be an object, or left out.';
  }
  const { inputResponses: answers, requestState: state, _meta: meta } = params ?? {};
  if (answers !== undefined && !isAnswers(answers)) {
    return 'inputResponses must be an object of objects, or left out.';
  }
  if (state !== undefined && typeof state !== 'string') {
    return 'requestState must be the text that came with the questions, or left out.';
  }
  if (meta !== undefined && !isObject(meta)) return '_meta must be an object, or left out.';
  const fields = meta ?? NO_ARGS;
  const { progressToken, traceparent } = fields;
  if (progressToken !== undefined && !isRequestId(progressToken)) {
    return '_meta.progressToken must be a text of at most 1,024 characters or a number.';
  }
  return {
    kind,
    tool,
    args,
    progressToken,
    text: fields[STREAM_KEY] === true ? 'streamed' : 'counted',
    preference: readPreference(fields),
    takes: fields[WHOLE_KEY] === true ? 'whole' : 'head',
    traceparent: shortText(traceparent),
    answers,
    state,
  };
}

function readPreference(meta: Members): BackgroundPreference {
  if (meta[BACKGROUND_KEY] === true) return 'background';
  return meta[WAIT_KEY] === true ? 'wait' : undefined;
}

function isAnswers(value: unknown): value is InputResponses {
  return (
    isObject(value) &&
    Object.values(value).every((answer): answer is JsonObject => isObject(answer))
  );
}

function shortText(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= MAX_TRACEPARENT_CHARS ? value : undefined;
}

/** Sends a tool's log messages to the client, from its log level on. */
function createClientLog(
  sink: McpSink,
  call: CallInFlight,
  from: () => LogLevel | undefined,
): (level: LogLevel, data: unknown) => void {
  return (level, data) => {
    const minimum = from();
    if (minimum === undefined || LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(minimum)) return;
    if (!call.isOpen || !sink.isClear(call.id)) return;
    const params = { level, logger: call.tool, data };
    sink.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params }), call.id);
  };
}
