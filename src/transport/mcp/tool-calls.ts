import { CallError } from '#core/call-error.ts';
import type { Caller } from '#core/call.ts';
import type { CallAnswer, CallRequest, Calls } from '#core/calls.ts';
import { failureAnswer } from '#core/failure-answer.ts';
import type { Log } from '#core/telemetry.ts';
import type { Channel } from '../channel.ts';
import { readCallParams, type CallParams } from './call-params.ts';
import { callReply, unknownToolReply } from './call-reply.ts';
import type { CallInFlight, InFlight } from './in-flight.ts';
import { errorReply, INVALID_PARAMS, type Members } from './json-rpc.ts';
import { createProgress } from './progress.ts';
import type { Era } from './protocol-era.ts';
import type { RpcRequest } from './read-message.ts';

/** The `tools/call` requests of one client. */
export interface ToolCalls {
  /** Answers it in its time; with a refusal, at once. */
  start(request: RpcRequest, era: Era, refusal: CallError | undefined): void;
  /** It is not answered, as the specification wants it. */
  cancel(call: CallInFlight, error?: CallError): void;
}

export interface ToolCallsOptions {
  readonly channel: Channel;
  readonly inFlight: InFlight;
  readonly calls: Calls;
  readonly log: Log;
  readonly caller: Caller;
  readonly session: string;
  readonly door: string;
  readonly notices: readonly string[];
  readonly serverMeta: Members;
  /** One of them has its answer. */
  readonly onSettled: () => void;
}

const MAX_NAME_CHARS = 128;

export function createToolCalls(options: ToolCallsOptions): ToolCalls {
  const { channel, inFlight, calls, log, caller, session, door, serverMeta } = options;
  let { notices } = options;

  function start({ id, params }: RpcRequest, era: Era, refusal: CallError | undefined): void {
    const asked = readCallParams(params);
    if (typeof asked === 'string') {
      return channel.send(errorReply(id, INVALID_PARAMS, `Invalid params: ${asked}`));
    }
    const tool = asked.tool.slice(0, MAX_NAME_CHARS);
    const call: CallInFlight = { is: 'call', id, tool, era, running: undefined, isOpen: true };
    if (refusal) return channel.send(replyTo(call, failureAnswer(refusal, tool)));
    inFlight.add(id, call);
    call.running = calls.start(toCallRequest(asked, call));
    call.running.answer.then(
      (answer) => onAnswer(call, answer),
      (thrown: unknown) => onAnswer(call, failureAnswer(CallError.from(thrown), tool)),
    );
  }

  function toCallRequest(asked: CallParams, call: CallInFlight): CallRequest {
    const { tool, args, progressToken, traceparent } = asked;
    if (progressToken === undefined && traceparent === undefined) {
      return { tool, args, caller, door, session };
    }
    return {
      tool,
      args,
      caller,
      door,
      session,
      ...(traceparent !== undefined && { traceparent }),
      ...(progressToken !== undefined && {
        onProgress: createProgress(channel, progressToken, call),
      }),
    };
  }

  function onAnswer(call: CallInFlight, answer: CallAnswer): void {
    if (!call.isOpen) return;
    call.isOpen = false;
    inFlight.remove(call.id);
    channel.send(replyTo(call, answer));
    options.onSettled();
  }

  function replyTo({ id, tool, era }: CallInFlight, answer: CallAnswer): string {
    const { error, envelope } = answer;
    if (error?.class === 'not_found' && !calls.find(tool)) {
      return unknownToolReply(id, error, envelope.req_id);
    }
    const facts = { id, era, serverMeta, notices };
    try {
      const reply = callReply(answer, facts);
      notices = [];
      return reply;
    } catch (thrown) {
      // What a tool gave may be no JSON: a circle, or nesting without end.
      const failure = CallError.from(thrown);
      log.error('mcp_reply_failed', { req_id: envelope.req_id, tool, error: failure });
      return callReply(failureAnswer(failure, tool, envelope.req_id), facts);
    }
  }

  return {
    start,
    cancel(call, error) {
      call.isOpen = false;
      call.running?.cancel(error);
    },
  };
}
