import { CallError } from '#core/call-error.ts';
import type { CallAnswer, CallKind, CallRequest, Calls } from '#core/calls.ts';
import { failureAnswer } from '#core/failure-answer.ts';
import type { Notice } from '#core/messages/notices.ts';
import type { Answers } from '#core/question.ts';
import type { Log } from '#core/telemetry.ts';
import { errorReply, INVALID_PARAMS } from '#mcp/json-rpc.ts';
import type { Era } from '#mcp/protocol-era.ts';
import type { RpcRequest } from '#mcp/read-message.ts';
import { readCallParams } from './call-params.ts';
import { callReply, unknownToolReply, type Reply } from './call-reply.ts';
import type { ClientQuestions } from './client-questions.ts';
import type { CallInFlight, InFlight } from './in-flight.ts';
import type { ServerFacts } from './server-facts.ts';
import type { Tasks } from './tasks.ts';
import { toCallRequest, type ToCallRequestOptions } from './to-call-request.ts';

/** The `tools/call`, `prompts/get` and `resources/read` requests of one client. */
export interface Runs {
  /** Answers it in its time; with a refusal, at once. */
  start(request: RpcRequest, kind: CallKind, era: Era, refusal: CallError | undefined): void;
  /** The client cannot answer questions any more: calls that wait for that, or are about to, end now. */
  stopAsking(because: CallError): void;
  /** It is not answered, as the specification wants it. */
  cancel(call: CallInFlight, error?: CallError): void;
  /** Neither is one whose client gave up by its own limit; but what can go on without it does. */
  leave(call: CallInFlight): void;
}

export interface RunsOptions extends ToCallRequestOptions {
  readonly inFlight: InFlight;
  readonly questions: ClientQuestions;
  readonly calls: Calls;
  readonly log: Log;
  readonly notices: readonly Notice[];
  readonly facts: ServerFacts;
  /** Absent where there are none. */
  readonly tasks: (() => Tasks) | undefined;
  /** One of them has its answer. */
  readonly onSettled: () => void;
}

const MAX_NAME_CHARS = 128;
/** A tool that asks more often than this will not come to an end. */
const MAX_ROUNDS = 8;

export function createRuns(options: RunsOptions): Runs {
  const { line, inFlight, questions, calls, log, facts, tasks } = options;
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
      is: 'call', id, kind, tool, era, running: undefined, asked: undefined, progress: undefined, rounds: 0, isOpen: true,
    };
    if (refusal) {
      const { text, status } = replyTo(call, failureAnswer(refusal, tool));
      return line.reply(id, text, status);
    }
    inFlight.add(id, call);
    run(call, toCallRequest(asked, call, request, options));
  }

  function run(call: CallInFlight, request: CallRequest): void {
    call.running = calls.start(request);
    call.running.answer.then(
      (answer) => onAnswer(call, request, answer),
      (thrown: unknown) => finish(call, failureAnswer(CallError.from(thrown), call.tool)),
    );
  }

  function onAnswer(call: CallInFlight, request: CallRequest, answer: CallAnswer): void {
    const { asks } = answer;
    if (tasks && request.handOff?.as === 'task' && isHandedOff(call, answer)) {
      return void tasks()
        .created(call.id, answer)
        .then((reply) => settle(call, reply));
    }
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

  /** That something runs as a job is also what a tool tells of another call. */
  function isHandedOff({ tool, running }: CallInFlight, { envelope }: CallAnswer): boolean {
    if (envelope.status !== 'running' || !envelope.job) return false;
    return envelope.req_id === running?.reqId && calls.find(tool)?.handOff !== 'never';
  }

  function finish(call: CallInFlight, answer: CallAnswer): void {
    if (call.isOpen) settle(call, replyTo(call, answer));
  }

  function settle(call: CallInFlight, { text, status }: Reply): void {
    if (!call.isOpen) return;
    call.isOpen = false;
    inFlight.remove(call.id);
    line.reply(call.id, text, status);
    options.onSettled();
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

  function cancel(call: CallInFlight, error?: CallError): void {
    call.isOpen = false;
    call.asked?.withdraw();
    call.running?.cancel(error);
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
    cancel,
    leave(call) {
      if (!call.running?.handOff) return cancel(call);
      call.isOpen = false;
      call.running.handOff();
    },
  };
}

function tooManyRounds(): CallError {
  return new CallError('tool_error', `It asked ${MAX_ROUNDS} times and still cannot go on.`);
}
