import { CallError } from '#core/errors/call-error.ts';
import type { AskListener, AskRequest, ToolCallPiece } from '#core/llm/ask.ts';
import type { ChatMessage, ChatRequest, WebSearch } from '#core/llm/chat.ts';
import type { Provider } from '#core/llm/provider.ts';
import type { Candidate } from '#core/llm/route.ts';
import { oneLine } from '#core/text/text.ts';
import { createPrefixHold } from '#resilience/continuation-overlap.ts';
import { lastQuestion } from '../classify/facts.ts';
import type { Fitted } from '../context/fit.ts';
import { errorReason } from '../error-reason.ts';
import type { PlannedModel } from '../route/plan.ts';
import {
  continueFrom,
  repeatedNothingNew,
  stitcherFor,
  type ContinuationPrompt,
} from './continue-answer.ts';
import { callProvider, type ProviderCallResult } from './provider-call.ts';
import type { RunContext, RunDeps } from './run-plan.ts';
import { emitText, hasFallbackLeft, type RunState } from './run-state.ts';
import { attemptLimits } from './attempt-limits.ts';

/**
 * Calls a provider and emits its answer as it streams. Continues the text that earlier models
 * emitted.
 */
export async function streamAttempt(
  provider: Provider,
  candidate: PlannedModel,
  fitted: Fitted,
  state: RunState,
  run: RunContext,
  { timeouts, clock }: RunDeps,
): Promise<ProviderCallResult> {
  const { request, listener, signal } = run;
  // Partial JSON is useless, so it is emitted when it is complete.
  const emitsText = request.responseFormat === undefined;
  const before = state.emittedText;
  const { messages } = fitted;
  const conversation: ContinuationPrompt =
    before === '' ? { messages } : continueFrom(messages, before, provider);
  const stitcher = before === '' ? createPrefixHold() : stitcherFor(conversation, before);
  const release = () => emitText(state, listener, stitcher.end());
  const { provider: id, model } = candidate;
  const calls = createToolCallEmitter(state, releasingListener(release, listener));
  const after = state.failures.at(-1)?.class;
  const attempt = run.ledger.attempts.length + 1;
  listener.onAsked?.({
    provider: id,
    model,
    attempt,
    promptTokens: fitted.tokens,
    ...(after && { after }),
  });
  const limits = { delivery: request.delivery ?? 'stream', hasFallback: hasFallbackLeft(state) };
  const call = await callProvider({
    provider,
    request: buildChatRequest(request, candidate, conversation, fitted.cacheKey),
    context: { ...attemptLimits(run.deadline, timeouts, limits, clock), signal },
    clock,
    redactHosts: run.redactHosts,
    onEvent(event) {
      if (event.type === 'text') {
        if (emitsText) emitText(state, listener, stitcher.add(event.text));
      } else if (event.type === 'reasoning') {
        // The reasoning of a continuation is not emitted: a client that has started reading would
        // take it for a new answer.
        if (before === '') listener.onReasoning?.(event.text);
      } else if (event.type === 'tool_call') calls.take(event);
    },
  });
  // The held text of an interrupted answer is dropped: it is too short to be recognised, or may be
  // part of a repetition.
  if (call.outcome.is === 'answered') {
    release();
    calls.end();
  }
  if (before === '') return call;
  if (state.emittedText.length > before.length) {
    const failure = state.failures.at(-1);
    const reason = errorReason(failure ?? new CallError('interrupted', ''));
    state.seams.push({ at: before.length, provider: id, model, reason });
    return call;
  }
  const { outcome } = call;
  const isRepetition = outcome.is === 'answered' && outcome.answer.toolCalls.length === 0;
  return isRepetition ? repeatedNothingNew(call, { provider: id, model }) : call;
}

/**
 * Emits held text before the first tool call. A tool call cannot be continued, so nothing has to be
 * held back after it.
 */
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

/** Clients parse the arguments as JSON, which an empty string is not. */
const NO_ARGUMENTS = '{}';

/** Emits the tool calls of one attempt as they stream. */
interface ToolCallEmitter {
  take(piece: ToolCallPiece): void;
  /** The answer is complete: emits calls without arguments, too. */
  end(): void;
}

/**
 * A tool name is held back until its arguments begin: models often fail in between, and a call that
 * was not emitted can be retried.
 */
export function createToolCallEmitter(
  state: RunState,
  { onToolCall }: Pick<AskListener, 'onToolCall'>,
): ToolCallEmitter {
  const named = new Map<number, ToolCallPiece>();

  function emit(piece: ToolCallPiece): void {
    state.hasEmittedToolCalls = true;
    onToolCall?.(piece);
  }

  return {
    take(piece) {
      if (!onToolCall) return;
      const { index } = piece;
      const first = named.get(index);
      const all = first ? { ...first, arguments: first.arguments + piece.arguments } : piece;
      if (all.arguments === '') {
        named.set(index, all);
        return;
      }
      // Emitted calls cannot be taken back, and clients expect them in order.
      for (const [other, kept] of named) {
        if (other >= index) continue;
        named.delete(other);
        emit(kept);
      }
      named.delete(index);
      emit(all);
    },
    end() {
      for (const piece of named.values()) emit({ ...piece, arguments: NO_ARGUMENTS });
      named.clear();
    },
  };
}

/** The vendor-neutral chat request for one candidate. */
export function buildChatRequest(
  request: AskRequest,
  { model, thinking, search, isLastResort }: Candidate,
  { messages, continuation }: ContinuationPrompt,
  cacheKey: string | undefined,
): ChatRequest {
  const { sampling, stop, maxOutputTokens } = request;
  const { tools, toolChoice, responseFormat } = isLastResort ? TEXT_ONLY : request;
  return {
    model,
    messages: isLastResort ? messages.map(textOnly) : messages,
    delivery: request.delivery ?? 'stream',
    ...(tools && { tools }),
    ...(toolChoice && { toolChoice }),
    ...(responseFormat && { responseFormat }),
    ...(thinking && { thinking }),
    ...(sampling && { sampling }),
    ...(stop && { stop }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(cacheKey !== undefined && { cacheKey }),
    ...(search === 'provider' && { webSearch: searchOf(request) }),
    ...(continuation && { continuation }),
  };
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
