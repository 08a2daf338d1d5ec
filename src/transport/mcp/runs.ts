import { CallError } from '#core/call-error.ts';
import type { Caller } from '#core/call.ts';
import type { CallAnswer, CallKind, CallRequest, Calls } from '#core/calls.ts';
import type { Clock } from '#core/clock.ts';
import { failureAnswer } from '#core/failure-answer.ts';
import type { Answers, LogLevel, QuestionKind } from '#core/question.ts';
import type { Log } from '#core/telemetry.ts';
import { askableOf } from './askable.ts';
import { readCallParams, type CallParams } from './call-params.ts';
import { callReply, unknownToolReply, type Reply } from './call-reply.ts';
import { createClientLog } from './client-log.ts';
import type { ClientQuestions } from './client-questions.ts';
import type { CallInFlight, InFlight } from './in-flight.ts';
import { errorReply, INVALID_PARAMS, isObject } from './json-rpc.ts';
import type { McpLine } from './mcp-line.ts';
import { createProgress } from './progress.ts';
import { CAPABILITIES_KEY, logLevelOf } from './claim.ts';
import type { Era } from './protocol-era.ts';
import type { RpcRequest } from './read-message.ts';
import type { ServerFacts } from './server-facts.ts';

/** The `tools/call`, `prompts/get` and `resources/read` requests of one client. */
export interface Runs {
  /** Answers it in its time; with a refusal, at once. */
  start(request: RpcRequest, kind: CallKind, era: Era, refusal: CallError | undefined): void;
  /** The client cannot answer questions any more: calls that wait for that, or are about to, end now. */
  stopAsking(because: CallError): void;
  /** It is not answered, as the specification wants it. */
  cancel(call: CallInFlight, error?: CallError): void;
}

export interface RunsOptions {
  readonly line: McpLine;
  readonly inFlight: InFlight;
  readonly questions: ClientQuestions;
  readonly calls: Calls;
  readonly clock: Clock;
  readonly log: Log;
  readonly caller: Caller;
  readonly session: string;
  readonly door: string;
  readonly notices: readonly string[];
  readonly facts: ServerFacts;
  /** Of a legacy client, as it said when it began. */
  readonly legacy: { readonly askable: readonly QuestionKind[]; readonly logLevel: LogLevel };
  /** One of them has its answer. */
  readonly onSettled: () => void;
}

const MAX_NAME_CHARS = 128;
/** A tool that asks more often than this will not come to an end. */
const MAX_ROUNDS = 8;

export function createRuns(options: RunsOptions): Runs {
  const { line, inFlight, questions, calls, log, caller, session, door, facts, legacy } = options;
  let { notices } = options;
  /** Why answers do not come through any more. */
  let unheard: CallError | undefined;

  function start(request: RpcRequest, kind: CallKind, era: Era, refusal?: CallError): void {
    const { id, params } = request;
    const asked = readCallParams(kind, params);
    if (typeof asked === 'string') {
      return line.reply(id, errorReply(id, INVALID_PARAMS, `Invalid params: ${asked}`));
    }
    const tool = asked.tool.slice(0, MAX_NAME_CHARS);
    // prettier-ignore
    const call: CallInFlight = {
      is: 'call', id, kind, tool, era, running: undefined, asked: undefined, rounds: 0, isOpen: true,
    };
    if (refusal) return send(call, failureAnswer(refusal, tool));
    inFlight.add(id, call);
    run(call, toCallRequest(asked, call, request));
  }

  function run(call: CallInFlight, request: CallRequest): void {
    call.running = calls.start(request);
    call.running.answer.then(
      (answer) => onAnswer(call, request, answer),
      (thrown: unknown) => finish(call, failureAnswer(CallError.from(thrown), call.tool)),
    );
  }

  function toCallRequest(
    asked: CallParams,
    call: CallInFlight,
    { params }: RpcRequest,
  ): CallRequest {
    const { kind, tool, args, progressToken: token, text, traceparent, answers, state } = asked;
    const isModern = call.era === 'modern';
    const request: CallRequest = {
      kind,
      tool,
      args,
      caller,
      door,
      session,
      askable: isModern ? modernAskable(params) : legacy.askable,
      onSay: createClientLog(line, call, () => (isModern ? logLevelOf(params) : legacy.logLevel)),
    };
    const isPlain = token === undefined && traceparent === undefined;
    if (isPlain && (!isModern || (!answers && state === undefined))) return request;
    return {
      ...request,
      ...(isModern && answers && { answers }),
      ...(isModern && state !== undefined && { state }),
      ...(traceparent !== undefined && { traceparent }),
      ...(token !== undefined && {
        onProgress: createProgress({ line, token, call, clock: options.clock, text }),
      }),
    };
  }

  function onAnswer(call: CallInFlight, request: CallRequest, answer: CallAnswer): void {
    const { asks } = answer;
    if (!asks || call.era === 'modern' || !call.isOpen) return finish(call, answer);
    if (call.rounds >= MAX_ROUNDS) return finish(call, failureAnswer(tooManyRounds(), call.tool));
    if (unheard) return finish(call, failureAnswer(unheard, call.tool));
    call.rounds += 1;
    call.running = undefined;
    try {
      call.asked = questions.ask(call.id, asks.questions);
    } catch (thrown) {
      // What a tool asks may be no JSON.
      return finish(call, failureAnswer(CallError.from(thrown), call.tool));
    }
    const goOn = (answers: Answers) => {
      if (!call.isOpen) return;
      call.asked = undefined;
      run(call, { ...request, answers, state: asks.state });
    };
    call.asked.answers.then(goOn, (thrown: unknown) =>
      finish(call, failureAnswer(CallError.from(thrown), call.tool, answer.envelope.req_id)),
    );
  }

  function finish(call: CallInFlight, answer: CallAnswer): void {
    if (!call.isOpen) return;
    call.isOpen = false;
    inFlight.remove(call.id);
    send(call, answer);
    options.onSettled();
  }

  function send(call: CallInFlight, answer: CallAnswer): void {
    const { text, status } = replyTo(call, answer);
    line.reply(call.id, text, status);
  }

  function replyTo({ id, kind, tool, era }: CallInFlight, answer: CallAnswer): Reply {
    const { error, envelope } = answer;
    const about = { id, kind, asked: tool, era, facts, notices };
    if (kind === 'tool' && error?.class === 'not_found' && !calls.find(tool)) {
      return unknownToolReply(error, answer, about);
    }
    try {
      const reply = callReply(answer, about);
      if (kind === 'tool' && !answer.asks) notices = [];
      return reply;
    } catch (thrown) {
      // What a tool gave may be no JSON: a circle, or nesting without end.
      const failure = CallError.from(thrown);
      log.error('mcp_reply_failed', { req_id: envelope.req_id, tool, error: failure });
      return callReply(failureAnswer(failure, tool, envelope.req_id), about);
    }
  }

  return {
    start,
    stopAsking(because) {
      unheard = because;
      for (const call of inFlight.calls()) {
        if (!call.asked) continue;
        call.asked.withdraw();
        finish(call, failureAnswer(because, call.tool));
      }
    },
    cancel(call, error) {
      call.isOpen = false;
      call.asked?.withdraw();
      call.running?.cancel(error);
    },
  };
}

function modernAskable(params: RpcRequest['params']): readonly QuestionKind[] {
  const meta = params?.['_meta'];
  return askableOf(isObject(meta) ? meta[CAPABILITIES_KEY] : undefined);
}

function tooManyRounds(): CallError {
  return new CallError('tool_error', `It asked ${MAX_ROUNDS} times and still cannot go on.`);
}
