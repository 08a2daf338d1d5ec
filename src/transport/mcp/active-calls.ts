import { CallError } from '#core/errors/call-error.ts';
import type { CallResult, CallKind, CallRequest, Calls } from '#core/calls/calls.ts';
import { failureResult } from '#core/calls/envelope.ts';
import { unwrapCall } from '#core/calls/unwrap-call.ts';
import type { Notice } from '#core/messages/notices.ts';
import type { InputResponses } from '#core/tools/input-request.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import { rpcErrorResponse, INVALID_PARAMS } from '#mcp/json-rpc.ts';
import type { Era } from '#mcp/protocol-era.ts';
import type { RpcRequest } from '#mcp/read-message.ts';
import { readCallParams, toCallRequest, type ToCallRequestOptions } from './call-request.ts';
import { callReply, unknownToolReply, type Reply, type ReplyContext } from './call-reply.ts';
import type { ClientRequests, InputRound } from './client-requests.ts';
import type { CallInFlight, InFlightRequests } from './in-flight.ts';
import type { ServerInfo } from './server-info.ts';
import type { Tasks } from './tasks.ts';

/** Why a call is not started. `not_begun`: it has no answer, as its client sends it again itself. */
export type CallRefusal = CallError | 'not_begun';

/** The `tools/call`, `prompts/get` and `resources/read` requests of one client. */
export interface ActiveCalls {
  /** Starts a call and answers it when it ends; with a refusal, at once. */
  start(request: RpcRequest, kind: CallKind, era: Era, refusal: CallRefusal | undefined): void;
  /**
   * The client cannot answer input requests any more: calls that wait for answers, or will, end
   * with this error.
   */
  stopInputRequests(because: CallError): void;
  /** Answers a call with this error, and cancels it. */
  interrupt(call: CallInFlight, error: CallError): void;
  /** Cancels a call; it gets no answer, as the specification requires. */
  cancel(call: CallInFlight, error?: CallError): void;
  /**
   * Detaches a call whose client ran into its time limit: no answer, but it continues as a job
   * where possible.
   */
  detach(call: CallInFlight): void;
}

export interface ActiveCallsOptions extends ToCallRequestOptions {
  readonly inFlight: InFlightRequests;
  readonly clientRequests: ClientRequests;
  readonly calls: Calls;
  readonly log: Log;
  readonly notices: readonly Notice[];
  readonly serverInfo: ServerInfo;
  /** Whether the results of a tool carry `structuredContent`. */
  readonly structuredContent: (tool: string) => ReplyContext['structuredContent'];
  /** Undefined where tasks are not offered. */
  readonly tasks: (() => Tasks) | undefined;
  /** Called when a call is answered. */
  readonly onSettled: () => void;
}

const MAX_NAME_CHARS = 128;
/** A tool with more rounds of input requests would not end. */
const MAX_ROUNDS = 8;

export function createActiveCalls(options: ActiveCallsOptions): ActiveCalls {
  const { sink, inFlight, clientRequests, calls, log, serverInfo, tasks } = options;
  let { notices } = options;
  /** Why the client cannot answer any more. */
  let inputClosed: CallError | undefined;

  function start(request: RpcRequest, kind: CallKind, era: Era, refusal?: CallRefusal): void {
    if (refusal === 'not_begun') return;
    const { id, params } = request;
    const read = readCallParams(kind, params);
    if (typeof read === 'string') {
      return sink.reply(id, rpcErrorResponse(id, INVALID_PARAMS, `Invalid params: ${read}`));
    }
    const callParams = unwrapCall(read);
    const tool = callParams.tool.slice(0, MAX_NAME_CHARS);
    // prettier-ignore
    const call: CallInFlight = {
      is: 'call', id, kind, tool, via: callParams.via, era, running: undefined, inputRound: undefined, progress: undefined, rounds: 0, isOpen: true,
    };
    if (refusal) {
      const { text, status } = replyTo(call, failureResult(refusal, tool));
      return sink.reply(id, text, status);
    }
    inFlight.add(id, call);
    run(call, toCallRequest(callParams, call, request, options));
  }

  function run(call: CallInFlight, request: CallRequest): void {
    call.running = calls.start(request);
    call.running.answer.then(
      (answer) => onAnswer(call, request, answer),
      (thrown: unknown) => finish(call, failureResult(CallError.from(thrown), call.tool)),
    );
  }

  function onAnswer(call: CallInFlight, request: CallRequest, answer: CallResult): void {
    const { inputRequired } = answer;
    if (tasks && request.background?.as === 'task' && isHandedOff(call, answer)) {
      return void tasks()
        .created(call.id, answer)
        .then((reply) => settle(call, reply));
    }
    if (inputRequired && !call.isOpen) inputRequired.abandon?.();
    if (!inputRequired || call.era === 'modern' || !call.isOpen) return finish(call, answer);
    const refusal = call.rounds >= MAX_ROUNDS ? tooManyRounds() : inputClosed;
    if (refusal) {
      inputRequired.abandon?.();
      return finish(call, failureResult(refusal, call.tool));
    }
    call.rounds += 1;
    call.running = undefined;
    try {
      const round = clientRequests.requestInput(call.id, inputRequired.questions);
      call.inputRound = abandonedBy(round, inputRequired);
    } catch (thrown) {
      inputRequired.abandon?.();
      // The input requests of a tool may not be valid JSON.
      return finish(call, failureResult(CallError.from(thrown), call.tool));
    }
    const rerun = (answers: InputResponses) => {
      if (!call.isOpen) return;
      call.inputRound = undefined;
      run(call, { ...request, answers, state: inputRequired.state });
    };
    call.inputRound.answers.then(rerun, (thrown: unknown) => {
      inputRequired.abandon?.();
      finish(call, failureResult(CallError.from(thrown), call.tool, answer.envelope.req_id));
    });
  }

  /** Whether this very call became a job; a tool may also report the job of another call. */
  function isHandedOff({ tool, running }: CallInFlight, { envelope }: CallResult): boolean {
    if (envelope.status !== 'running' || !envelope.job) return false;
    return envelope.req_id === running?.reqId && calls.find(tool)?.background !== 'never';
  }

  function finish(call: CallInFlight, answer: CallResult): void {
    if (call.isOpen) settle(call, replyTo(call, answer));
  }

  function settle(call: CallInFlight, { text, status }: Reply): void {
    if (!call.isOpen) return;
    call.isOpen = false;
    inFlight.remove(call.id);
    sink.reply(call.id, text, status);
    options.onSettled();
  }

  function replyTo({ id, kind, tool, via, era }: CallInFlight, answer: CallResult): Reply {
    const { error, envelope } = answer;
    const structuredContent = options.structuredContent(tool);
    const context = { id, kind, target: tool, era, serverInfo, notices, structuredContent };
    // The wrapper is a known tool: that it names an unknown one is an error of its arguments.
    const isOwnName = kind === 'tool' && via === undefined;
    if (isOwnName && error?.class === 'not_found' && !calls.find(tool)) {
      return unknownToolReply(error, answer, context);
    }
    try {
      const reply = callReply(answer, context);
      if (kind === 'tool' && !answer.inputRequired) notices = [];
      return reply;
    } catch (thrown) {
      // The content of a tool may not be valid JSON, such as a cycle.
      const failure = CallError.from(thrown);
      log.error('mcp_reply_failed', { req_id: envelope.req_id, tool, error: failure });
      return callReply(failureResult(failure, tool, envelope.req_id), context);
    }
  }

  function cancel(call: CallInFlight, error?: CallError): void {
    call.isOpen = false;
    call.inputRound?.withdraw();
    call.running?.cancel(error);
  }

  return {
    start,
    stopInputRequests(because) {
      inputClosed = because;
      for (const call of inFlight.calls()) {
        if (!call.inputRound) continue;
        call.inputRound.withdraw();
        finish(call, failureResult(because, call.tool));
      }
    },
    interrupt(call, error) {
      const { running, inputRound } = call;
      finish(call, failureResult(error, call.tool, running?.reqId));
      inputRound?.withdraw();
      running?.cancel(error);
    },
    cancel,
    detach(call) {
      if (!call.running?.detach) return cancel(call);
      call.isOpen = false;
      call.running.detach();
    },
  };
}

/** The round, whose end before an answer the tool is told. */
function abandonedBy(
  round: InputRound,
  { abandon }: NonNullable<CallResult['inputRequired']>,
): InputRound {
  const withdrawBoth = () => {
    round.withdraw();
    abandon?.();
  };
  return { answers: round.answers, withdraw: withdrawBoth };
}

function tooManyRounds(): CallError {
  return new CallError(
    'tool_error',
    `The tool requested input ${MAX_ROUNDS} times and still cannot continue.`,
  );
}
