import { CallError } from '#core/errors/call-error.ts';
import type { AskAnswer, AskListener, AskReport, AskRequest } from '#core/llm/ask.ts';
import type { ChatMessage, Citation, ToolCall } from '#core/llm/chat.ts';
import type {
  LoopCallRecord,
  LoopEnd,
  RunToolLoop,
  ToolLoopContext,
  ToolLoopRequest,
  ToolLoopResult,
} from '#core/llm/tool-loop.ts';
import { reason } from '#core/messages/reasons.ts';
import { remainingMs } from '#core/time/deadline.ts';
import {
  closingAfter,
  closingOfFailure,
  noteToModel,
  timeIsOver,
  type Closing,
  type RepeatedCall,
} from './closing.ts';
import { finishedAnswer, finishedResult, hasBegun } from './finished-steps.ts';
import { readCalls, type ReadCall } from './read-call.ts';
import { createRepeatedCalls } from './repeated-calls.ts';
import { runRound, type FinishedCall } from './run-round.ts';
import { resultText, toolMessages, type ToolText } from './tool-message.ts';

const MAX_ROUNDS = 8;
const MAX_CALLS = 64;
const MAX_PARALLEL = 8;
const TOOL_TIMEOUT_MS = 60_000;
const MAX_RESULT_CHARS = 40_000;
/** Share of the remaining time that is kept for the answer, and its maximum. */
const ANSWER_SHARE = 0.25;
const ANSWER_MS = 60_000;
/** With less time than this, no tool is called. */
const MIN_TOOL_MS = 500;

/** The state of a loop between two asks. */
interface LoopState {
  readonly messages: ChatMessage[];
  readonly texts: string[];
  readonly citations: Citation[];
  readonly calls: LoopCallRecord[];
  answer: AskAnswer | undefined;
  spentMicroUsd: number;
}

export const runToolLoop: RunToolLoop = async (loop, context) => {
  const { maxRounds = MAX_ROUNDS, maxCalls = MAX_CALLS } = loop;
  const repeated = createRepeatedCalls();
  const state: LoopState = {
    messages: [],
    texts: [],
    citations: [],
    calls: [],
    answer: undefined,
    spentMicroUsd: 0,
  };
  let closing: Closing | undefined;

  for (let round = 1; ; round += 1) {
    const asked = await askRound(loop, context, state, round, closing);
    if (asked.is === 'failed') return failed(state, asked.error, round - 1, closing);
    const { answer } = asked;
    const ended = (end: LoopEnd, more: Partial<ToolLoopResult> = {}) =>
      resultOf(state, answer, end, round, more);
    if (answer.toolCalls.length === 0 || closing) {
      return closing ? ended(closing.end, { reason: closing.reason }) : ended('answered');
    }
    const reads = readCalls(answer.toolCalls, loop.tools, round);
    if (toolTimeMs(loop, context) === undefined) return failed(state, timeIsOver(), round);
    const done = await runCalls(reads, { loop, context, state, round });
    const returned = done.flatMap(({ read, result }) => (result ? [] : [read.call]));
    const texts = done.flatMap((each) => toText(each, loop));
    const worst = mostRepeated(texts, repeated);
    const time = toolTimeMs(loop, context) === undefined ? 'over' : 'left';
    const made = state.calls.length;
    closing = closingAfter({ round, maxRounds, calls: made, maxCalls, repeated: worst, time });
    const sees = context.takesPictures?.(answer.model) ?? false;
    const note = returned.length > 0 ? undefined : noteToModel(closing, worst);
    state.messages.push(
      assistantTurn(answer, reads),
      ...toolMessages(texts, sees ? 'shown' : 'named', note),
    );
    if (returned.length > 0) {
      const tools = returned.map(({ name }) => name);
      return ended('calls_returned', {
        returned,
        reason: reason('loop_calls_returned', { tools }),
      });
    }
  }
};

type Asked =
  | { readonly is: 'answered'; readonly answer: AskAnswer }
  | { readonly is: 'failed'; readonly error: CallError };

/** Asks once. A failure of the first round is thrown, as nothing is lost with it. */
async function askRound(
  loop: ToolLoopRequest,
  context: ToolLoopContext,
  state: LoopState,
  round: number,
  closing: Closing | undefined,
): Promise<Asked> {
  const { journal, signal } = context;
  const earlier = finishedAnswer(context.finished, round);
  try {
    const { ask, listener = {} } = context;
    const answer =
      earlier ??
      (await ask(requestOf(loop, state, round, closing), joined(listener, state, round)));
    state.answer = answer;
    state.citations.push(...answer.citations);
    if (answer.text !== '') state.texts.push(answer.text);
    if (earlier) state.spentMicroUsd += answer.report.costMicroUsd;
    else await journal?.({ type: 'answer', round, answer });
    return { is: 'answered', answer };
  } catch (thrown) {
    signal.throwIfAborted();
    if (round === 1) throw thrown;
    return { is: 'failed', error: CallError.from(thrown) };
  }
}

function requestOf(
  { request, tools }: ToolLoopRequest,
  state: LoopState,
  round: number,
  closing: Closing | undefined,
): AskRequest {
  const { toolChoice } = request;
  const isFirst = round === 1;
  const model = state.answer?.model;
  const isNamed = !['', 'auto'].includes((request.model ?? '').trim().toLowerCase());
  // A forced call applies once, or the model could never answer.
  const choice = closing ? 'none' : isFirst ? toolChoice : 'auto';
  return {
    ...request,
    messages: [...request.messages, ...state.messages],
    tools: tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
    ...(choice !== undefined && { toolChoice: choice }),
    toolCallErrors: 'pass',
    ...(!isNamed && model !== undefined && { lockedModel: model }),
    ...costLeft({ request }, state),
  };
}

/** What is left of the cost limit. */
function costLeft(
  { request: { maxCostMicroUsd: limit } }: Pick<ToolLoopRequest, 'request'>,
  { spentMicroUsd }: LoopState,
): { readonly maxCostMicroUsd?: number } {
  return limit === undefined ? {} : { maxCostMicroUsd: Math.max(0, limit - spentMicroUsd) };
}

/** Counts the cost of an ask, and separates its text from that of the round before. */
function joined(listener: AskListener, state: LoopState, round: number): AskListener {
  let separator = round > 1 && state.texts.length > 0 ? '\n\n' : '';
  return {
    ...listener,
    ...(listener.onText && {
      onText(text: string) {
        listener.onText?.(`${separator}${text}`);
        separator = '';
      },
    }),
    onReport(report: AskReport) {
      state.spentMicroUsd += report.costMicroUsd;
      if (report.partial !== undefined && report.partial !== '') state.texts.push(report.partial);
      listener.onReport?.(report);
    },
  };
}

interface RoundParts {
  readonly loop: ToolLoopRequest;
  readonly context: ToolLoopContext;
  readonly state: LoopState;
  readonly round: number;
}

async function runCalls(
  reads: readonly ReadCall[],
  { loop, context, state, round }: RoundParts,
): Promise<readonly FinishedCall[]> {
  const { journal, listener, finished } = context;
  const names = [...new Set(reads.map(({ call }) => call.name))];
  listener?.onNote?.(`calling ${names.join(', ')}`);
  const done = await runRound(reads, {
    round,
    maxParallel: Math.max(1, loop.maxParallel ?? MAX_PARALLEL),
    timeoutMs: () => toolTimeMs(loop, context),
    costLeft: () => costLeft(loop, state),
    onSpent: (costMicroUsd) => void (state.spentMicroUsd += costMicroUsd),
    clock: context.clock,
    signal: context.signal,
    finished: (index) => finishedResult(finished, round, index),
    hasBegun: (index) => hasBegun(finished, round, index),
    onBegin: (index) => journal?.({ type: 'begun', round, index }),
    onResult: (index, result) => journal?.({ type: 'result', round, index, result }),
  });
  for (const { record, result } of done) {
    state.calls.push(record);
    state.citations.push(...(result?.citations ?? []));
  }
  return done;
}

/**
 * The time of a call that begins now: never so much that none is left for the answer. Undefined if
 * there is too little for any call.
 */
function toolTimeMs(
  { toolTimeoutMs = TOOL_TIMEOUT_MS }: ToolLoopRequest,
  { clock, deadline }: ToolLoopContext,
): number | undefined {
  const left = remainingMs(deadline, clock);
  const timeMs = Math.min(toolTimeoutMs, left - Math.min(ANSWER_MS, left * ANSWER_SHARE));
  return timeMs < MIN_TOOL_MS ? undefined : timeMs;
}

function mostRepeated(
  texts: readonly ToolText[],
  repeated: ReturnType<typeof createRepeatedCalls>,
): RepeatedCall | undefined {
  const counts = texts.map(({ call, text }) => ({
    tool: call.name,
    times: repeated.count(call, text),
  }));
  const [worst] = counts.toSorted((a, b) => b.times - a.times);
  return worst && worst.times > 1 ? worst : undefined;
}

function toText({ read, result }: FinishedCall, { maxResultChars }: ToolLoopRequest): ToolText[] {
  if (!result) return [];
  const text = resultText(result, maxResultChars ?? MAX_RESULT_CHARS);
  return [{ call: read.call, text, pictures: result.pictures ?? [] }];
}

/** The answer as it is sent back: with calls that every vendor accepts. */
function assistantTurn(answer: AskAnswer, reads: readonly ReadCall[]): ChatMessage {
  const { text, reasoning, reasoningDetails } = answer;
  return {
    role: 'assistant',
    content: text,
    reasoning,
    ...(reasoningDetails.length > 0 && { reasoningDetails }),
    toolCalls: reads.map(({ call }) => call),
  };
}

function resultOf(
  { texts, citations, messages, calls }: LoopState,
  answer: AskAnswer,
  end: LoopEnd,
  rounds: number,
  more: Partial<ToolLoopResult>,
): ToolLoopResult {
  const text = texts.join('\n\n');
  const returned: readonly ToolCall[] = [];
  return { end, answer, text, citations, messages, returned, calls, rounds, ...more };
}

/** What was answered until a later round failed. */
function failed(
  state: LoopState,
  failure: CallError,
  rounds: number,
  closing?: Closing,
): ToolLoopResult {
  if (!state.answer) throw failure;
  const { spentMicroUsd } = state;
  const about = { spentMicroUsd, rounds, ...(closing && { closing }) };
  const { end, reason: why } = closingOfFailure(failure, about);
  return resultOf(state, state.answer, end, rounds, { reason: why, failure });
}
