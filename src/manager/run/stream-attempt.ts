import { CallError } from '#core/errors/call-error.ts';
import type { AskListener, AskRequest } from '#core/llm/ask.ts';
import type { CapturedRequest } from '#core/llm/captured-request.ts';
import type { ChatMessage, ChatRequest, ToolCall, WebSearch } from '#core/llm/chat.ts';
import { USUAL_TIMEOUTS } from '#core/llm/stream-timeouts.ts';
import type { Mutable } from '#core/mutable.ts';
import { oneLine } from '#core/text/text.ts';
import { modelTimeouts } from '#models/timeouts.ts';
import { createPrefixHold } from '#resilience/continuation/prefix-hold.ts';
import { createWordHold } from '#resilience/continuation/word-hold.ts';
import { lastQuestion } from '../classify/facts.ts';
import type { Fitted } from '../context/fit.ts';
import { errorReason } from '../error-reason.ts';
import type { PlannedModel } from '../route/plan.ts';
import {
  refusedContinuation,
  repeatedNothingNew,
  stitcherFor,
  type ContinuationPrompt,
} from './continue-answer.ts';
import { createToolCallFilter } from './tool-call-filter.ts';
import { checkToolCalls } from './check-tool-calls.ts';
import { estimateUsage } from './ledger.ts';
import type { PreparedAttempt } from './prepare-attempt.ts';
import { callProvider, isToken, type ProviderCallResult } from './provider-call.ts';
import type { RunContext, RunDeps } from './run-plan.ts';
import { emitText, hasFallbackLeft, hasOtherQueue, type RunState } from './run-state.ts';
import { attemptLimits } from './attempt-limits.ts';
import { createStopMatcher, textBeforeStop } from './stop-matcher.ts';
import { createStreamingCallEmitter, createWholeCallEmitter } from './tool-call-emitter.ts';
import { vendorStops } from './vendor-stops.ts';
import { remainingOutput } from './delivered-usage.ts';
import { upstreamDelivery } from './upstream-delivery.ts';
import { usualFirstTokenMs } from './usual-time.ts';

/** An attempt of which others may run beside it: the first word decides whose answer is emitted. */
export interface Entrant {
  /** Whether the answer is that of this attempt, from its first word on. */
  claim(): boolean;
  /** Whether another attempt was first. */
  readonly hasLost: boolean;
  /** Attempts that run already. */
  readonly beside: number;
  /** Repeats for the listener which model answers, as another was named after this one. */
  onClaim: (() => void) | undefined;
}

/**
 * Calls a provider and emits its answer as it streams. Continues the text that earlier models
 * emitted. An attempt that is not the first to answer emits nothing and leaves the state as it is.
 */
export async function streamAttempt(
  { candidateState: { candidate }, provider, fitted, continuation, spending }: PreparedAttempt,
  state: RunState,
  run: RunContext,
  deps: RunDeps,
  entrant?: Entrant,
): Promise<ProviderCallResult> {
  const { timeouts, clock, breakers, searchFor, silences } = deps;
  const { request, signal } = run;
  const delivery = upstreamDelivery(candidate, request, fitted.tokens, deps);
  const listener = keepsUnseen(delivery, run) ? { ...run.listener, onText: KEPT } : run.listener;
  // Partial JSON is useless, so it is emitted when it is complete.
  const emitsText = request.responseFormat === undefined;
  const before = state.emittedText;
  const { messages } = fitted;
  const conversation: ContinuationPrompt = continuation
    ? { ...continuation.prompt, messages: [...messages, ...continuation.prompt.messages] }
    : { messages };
  const continued = before === '' ? undefined : stitcherFor(conversation, before, state.heldBack);
  const stitcher = continued ?? createPrefixHold();
  const stops = createStopMatcher(request.stop ?? [], before);
  const lastWord = createWordHold(before);
  const emit = (text: string) => {
    const passed = stops.add(text);
    if (listener.onText) emitText(state, listener, lastWord.add(passed));
  };
  const release = () => {
    emit(stitcher.end());
    emitText(state, listener, lastWord.add(stops.flush()) + lastWord.end());
  };
  const { provider: id, model } = candidate;
  const createEmitter =
    request.toolCallDelivery === 'stream' ? createStreamingCallEmitter : createWholeCallEmitter;
  const calls = createEmitter(state, releasingListener(release, listener));
  const filter = createToolCallFilter(request, state);
  const beside = entrant?.beside ?? 0;
  const after = beside > 0 ? 'timeout' : state.failures.at(-1)?.class;
  const attempt = run.ledger.attempts.length + beside + 1;
  const asked = { provider: id, model, attempt, promptTokens: fitted.tokens };
  const notifyAsked = () => listener.onAsked?.({ ...asked, ...(after && { after }) });
  notifyAsked();
  if (entrant) entrant.onClaim = notifyAsked;
  const maxOutputTokens = remainingOutput(request.maxOutputTokens, state);
  const built = buildChatRequest(request, candidate, conversation, { ...fitted, delivery });
  const chatRequest = maxOutputTokens === undefined ? built : { ...built, maxOutputTokens };
  const ownTimeouts = modelTimeouts(candidate.entry, candidate.thinking, timeouts);
  const limits = {
    delivery: chatRequest.delivery,
    hasFallback: hasFallbackLeft(state),
    // One that runs beside others is waited for as long as they are.
    queue: beside === 0 && hasOtherQueue(state, candidate, breakers) ? 'short' : 'whole_time',
    // A setting that is not the default applies to all models.
    ...(timeouts.firstTokenMs === USUAL_TIMEOUTS.firstTokenMs && {
      usualMs: usualFirstTokenMs(candidate, request, fitted.tokens, deps),
    }),
  } as const;
  const { vendorCalls } = run;
  const searchWeb = chatRequest.webSearch && searchFor?.(run);
  const received = await callProvider({
    provider,
    request: chatRequest,
    context: {
      ...attemptLimits(run.deadline, ownTimeouts, limits, clock),
      signal,
      vendorCalls,
      admitFollowUp: spending.admitFollowUp,
      ...(searchWeb && { searchWeb }),
      ...(listener.onCapture && {
        onCapture: (captured: CapturedRequest) => listener.onCapture?.(captured),
      }),
    },
    clock,
    redactHosts: run.redactHosts,
    onEvent(event) {
      if (isToken(event)) {
        silences?.heard(id);
        if (entrant?.claim() === false) return 'stop';
      }
      if (event.type === 'text') {
        if (emitsText) emit(stitcher.add(event.text));
      } else if (event.type === 'reasoning') {
        // The reasoning of a continuation is not emitted: a client that has started reading would
        // take it for a new answer.
        if (before === '') listener.onReasoning?.(event.text);
      } else if (event.type === 'tool_call') {
        if (filter.lets(event)) calls.take(event);
      }
      // A response that is not streamed is paid for as a whole, and reports its usage at the end.
      return stops.matched !== undefined && chatRequest.delivery === 'stream' ? 'stop' : undefined;
    },
  });
  // An answer without a word may be one, too.
  if (entrant?.hasLost || (received.outcome.is === 'answered' && entrant?.claim() === false))
    return received;
  const call = settle(received);

  /** Emits what is held back, and completes the answer by what was emitted. */
  function settle(result: ProviderCallResult): ProviderCallResult {
    const isStopped = stops.matched !== undefined;
    const checked = isStopped ? result : checkToolCalls(result, candidate, state, request);
    if (checked.outcome.is === 'failed' && !isStopped) {
      // The held text of an interrupted answer is dropped: it is too short to be recognised, or may
      // be part of a repetition or of a stop text. The last word shows where a continuation is new.
      const lostCall = calls.pendingName();
      // The text was complete where a call followed it.
      if (lostCall !== undefined && state.emittedText !== '')
        emitText(state, listener, lastWord.end());
      state.lostCall = lostCall ?? state.lostCall;
      if (state.emittedText.length > before.length) state.heldBack = lastWord.held;
      return checked;
    }
    const { outcome } = checked;
    if (emitsText) release();
    else {
      stops.add(outcome.answer.text);
      stops.flush();
    }
    if (stops.matched !== undefined) {
      return endedAtStop(checked, stops.matched, calls.calls() ?? [], { request, fitted });
    }
    if (outcome.is === 'failed') return checked;
    calls.end(outcome.finish === 'length' ? 'cut_by_limit' : undefined);
    const { answer, stopText } = outcome;
    const toolCalls = calls.calls() ?? answer.toolCalls;
    if (toolCalls.length + answer.toolCalls.length === 0 && stopText === undefined) return checked;
    const isKnownStop = stopText !== undefined && (request.stop ?? []).includes(stopText);
    const { stopText: _, ...rest } = outcome;
    return {
      ...checked,
      outcome: { ...rest, answer: { ...answer, toolCalls }, ...(isKnownStop && { stopText }) },
    };
  }

  if (before === '') return call;
  if (state.emittedText.length > before.length) {
    const failure = state.failures.at(-1);
    const reason = errorReason(failure ?? new CallError('interrupted', ''));
    state.seams.push({ at: before.length, provider: id, model, reason });
    return call;
  }
  const { outcome } = call;
  const isCut =
    outcome.is === 'answered' && outcome.finish === 'length' && maxOutputTokens !== undefined;
  const isRepetition =
    outcome.is === 'answered' &&
    !isCut &&
    outcome.answer.toolCalls.length === 0 &&
    outcome.stopText === undefined;
  if (isRepetition && continued?.refused)
    return refusedContinuation(call, continued.refused, { provider: id, model });
  return isRepetition ? repeatedNothingNew(call, { provider: id, model }, conversation) : call;
}

/**
 * Whether the text of a stream is kept for a caller that wants the whole answer, so that it can be
 * continued.
 */
function keepsUnseen(
  delivery: ChatRequest['delivery'],
  { request, listener }: Pick<RunContext, 'request' | 'listener'>,
): boolean {
  if (listener.onText || request.onInterruption === 'fail') return false;
  return request.delivery === 'whole' && delivery === 'stream';
}

const KEPT = () => undefined;

/** Emits held text before the first tool call, which comes after it. */
function releasingListener(
  release: () => void,
  listener: AskListener,
): Pick<AskListener, 'onToolCall'> {
  if (!listener.onToolCall) return {};
  return {
    onToolCall(piece) {
      release();
      listener.onToolCall?.(piece);
    },
  };
}

/**
 * The result of an attempt whose text reached a stop text: complete, whatever came after it. What
 * was received after it counts as used, too.
 */
function endedAtStop(
  call: ProviderCallResult,
  stopText: string,
  toolCalls: readonly ToolCall[],
  { request, fitted }: { readonly request: AskRequest; readonly fitted: Fitted },
): ProviderCallResult {
  const { answer } = call.outcome;
  const usage = answer.usage ?? estimateUsage(answer, fitted.tokens);
  const text = textBeforeStop(answer.text, request.stop ?? []);
  const finish = toolCalls.length > 0 ? 'tool_calls' : 'stop';
  return {
    ...call,
    outcome: { is: 'answered', answer: { ...answer, text, toolCalls, usage }, finish, stopText },
  };
}

/** The vendor-neutral chat request for one candidate. */
export function buildChatRequest(
  request: AskRequest,
  { model, thinking, search, isLastResort, entry }: PlannedModel,
  { messages, continuation }: ContinuationPrompt,
  {
    cacheKey,
    delivery,
  }: { readonly cacheKey?: string | undefined } & Pick<ChatRequest, 'delivery'>,
): ChatRequest {
  const { sampling, maxOutputTokens } = request;
  const { sent: stop } = vendorStops(request, entry);
  const { tools, toolChoice, responseFormat } = isLastResort ? TEXT_ONLY : request;
  const built: Mutable<ChatRequest> = {
    model,
    messages: isLastResort ? messages.map(textOnly) : messages,
    delivery,
  };
  if (tools) built.tools = tools;
  if (toolChoice) built.toolChoice = toolChoice;
  if (responseFormat) built.responseFormat = responseFormat;
  if (thinking) built.thinking = thinking;
  if (sampling) built.sampling = sampling;
  if (stop.length > 0) built.stop = stop;
  if (maxOutputTokens !== undefined) built.maxOutputTokens = maxOutputTokens;
  if (cacheKey !== undefined) built.cacheKey = cacheKey;
  if (search === 'provider') built.webSearch = searchOf(request);
  if (continuation) built.continuation = continuation;
  return built;
}

/** The extractive fallback supports neither tools nor JSON. */
const TEXT_ONLY: Pick<AskRequest, 'tools' | 'toolChoice' | 'responseFormat'> = {};

function textOnly(message: ChatMessage): ChatMessage {
  if (message.role !== 'user' || typeof message.content === 'string') return message;
  return { ...message, content: message.content.filter(({ type }) => type === 'text') };
}

const MAX_QUERY_CHARS = 200;

/**
 * The search options. An explicitly requested search uses the question as its query, if it is short
 * enough.
 */
function searchOf(request: AskRequest): WebSearch {
  const question = lastQuestion(request).trim();
  if (request.search !== 'on' || question === '' || question.length > MAX_QUERY_CHARS) return {};
  return { query: oneLine(question, MAX_QUERY_CHARS) };
}
