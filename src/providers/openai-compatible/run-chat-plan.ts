import { CallError } from '#core/errors/call-error.ts';
import type { ChatEvent, TokenUsage } from '#core/llm/chat.ts';
import type { ProviderContext } from '#core/llm/provider.ts';
import { estimateSampled } from '#models/estimate-tokens.ts';
import type { AssistantTurn } from './response/response-parser.ts';
import { openStreamingRequest, type StreamingRequest } from './streaming-request.ts';
import { flattenBatches, type BatchSource } from '#core/async-iterators.ts';
import { addUsage } from './response/usage.ts';
import type { ChatPlan, ChatStep } from './chat-plan.ts';
import type { ResolvedClientOptions } from './client-options.ts';

/** Runs the steps of a chat plan and emits them as one answer. */
export function runChatPlan(
  plan: ChatPlan,
  context: ProviderContext,
  options: ResolvedClientOptions,
): AsyncIterableIterator<ChatEvent> {
  return flattenBatches(createSteps(plan, context, options));
}

const NONE: readonly ChatEvent[] = [];

function createSteps(
  plan: ChatPlan,
  context: ProviderContext,
  options: ResolvedClientOptions,
): BatchSource<ChatEvent> {
  let step: ChatStep = plan.first;
  /** Emitted before the step's request is sent. */
  let notices = step.notices ?? [];
  let number = 0;
  let request: StreamingRequest | undefined;
  /** The previous request, until its connection is free. */
  let finished: StreamingRequest | undefined;
  /** Text that is held back until the step is accepted. */
  let held: ChatEvent[] = [];
  let hasContent = false;
  let hasRetriedReasoning = false;
  let usage: TokenUsage | undefined;
  let state: 'answering' | 'emitted' | 'over' = 'answering';
  /** Thrown after everything before it was emitted. */
  let failure: CallError | undefined;

  function begin(): StreamingRequest {
    number += 1;
    held = [];
    return openStreamingRequest(plan, step, context, options);
  }

  function takeNotices(): readonly ChatEvent[] {
    const events = notices.map((notice): ChatEvent => ({ type: 'notice', notice }));
    notices = [];
    return events;
  }

  /** Starts another step, or returns the last events of the answer. */
  function conclude(done: StreamingRequest): readonly ChatEvent[] {
    const { turn, end, hadContent } = done.result();
    hasContent ||= hadContent && (held.length === 0 || turn.toolCalls.length > 0);
    if (turn.usage) usage = addUsage(usage, turn.usage);
    else if (end.is === 'whole') usage = addUsage(usage, estimated(done.sent(), turn));
    hasRetriedReasoning ||= step.isReasoningRetry === true;
    const result = { step: number, body: step.body, turn, end, hasContent, hasRetriedReasoning };
    const next = plan.next?.(result);
    if (next) {
      finished = done;
      request = undefined;
      step = next;
      notices = next.notices ?? [];
      return NONE;
    }
    state = 'emitted';
    const repaired = plan.repair?.(result);
    const last: ChatEvent[] =
      repaired && held.length > 0 ? [{ type: 'text', text: repaired.text }] : held;
    for (const notice of repaired?.notices ?? []) last.push({ type: 'notice', notice });
    if (end.is === 'failed') {
      failure = end.error;
      if (usage) last.push({ type: 'usage', usage });
      return last;
    }
    if (end.notice) last.push({ type: 'notice', notice: end.notice });
    if (usage) last.push({ type: 'usage', usage });
    last.push({ type: 'finish', reason: end.reason });
    return last;
  }

  /** Concludes a step. Emitted events stay, even when concluding fails. */
  function concludeSafely(
    done: StreamingRequest,
    emitted: readonly ChatEvent[],
  ): readonly ChatEvent[] {
    try {
      const last = conclude(done);
      return emitted.length === 0 ? last : [...emitted, ...last];
    } catch (thrown) {
      state = 'emitted';
      failure = CallError.from(thrown);
      return usage ? [...emitted, { type: 'usage', usage }] : emitted;
    }
  }

  async function finish(done: StreamingRequest): Promise<undefined> {
    state = 'over';
    if (failure) throw failure;
    await done.drain();
    done.close();
  }

  /** Waits until the connection is free for the next step. */
  async function releaseConnection(done: StreamingRequest): Promise<void> {
    await done.drain();
    finished = undefined;
    done.close();
  }

  function withoutText(events: readonly ChatEvent[]): readonly ChatEvent[] {
    held.push(...events.filter(({ type }) => type === 'text'));
    return events.filter(({ type }) => type !== 'text');
  }

  const isClosed = () => state === 'over';

  function close(): void {
    state = 'over';
    finished?.close();
    request?.close();
  }

  return {
    async next() {
      if (isClosed()) return undefined;
      try {
        if (finished) await releaseConnection(finished);
        // Closed meanwhile: no further request is sent.
        if (isClosed()) return undefined;
        if (notices.length > 0) return takeNotices();
        request ??= begin();
        if (state === 'emitted') return await finish(request);
        const events = await request.next();
        // Closed meanwhile: no further step.
        if (isClosed()) return undefined;
        const emitted = events && step.hold ? withoutText(events) : (events ?? NONE);
        return request.isOver() ? concludeSafely(request, emitted) : emitted;
      } catch (thrown) {
        close();
        throw thrown;
      }
    },
    close,
  };
}

/** Estimated usage, for vendors that report none. */
function estimated(sent: string, { text, reasoning, toolCalls }: AssistantTurn): TokenUsage {
  const calls = toolCalls.map((call) => `${call.name}${call.arguments}`).join('');
  const reasoningTokens = estimateSampled(reasoning);
  return {
    input: estimateSampled(sent),
    output: estimateSampled(text + calls) + reasoningTokens,
    cached: 0,
    reasoning: reasoningTokens,
    estimated: true,
  };
}
