import { CallError } from '#core/errors/call-error.ts';
import type { ChatEvent } from '#core/llm/chat.ts';
import type { ProviderContext } from '#core/llm/provider.ts';
import { callLimitError } from './call-limit-error.ts';
import { openStreamingRequest, type StreamingRequest } from './streaming-request.ts';
import { flattenBatches, type BatchSource } from '#core/async-iterators.ts';
import type { ChatPlan, ChatStep, StepResult } from './chat-plan.ts';
import { createStepUsage, usageOfStep } from './step-usage.ts';
import { followUpOf, withinLimit } from './follow-up/limit-steps.ts';
import type { AnswerEnd } from './response/finish.ts';
import { createStepContent } from './step-content.ts';
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
  let citations = step.citations ?? [];
  let number = 0;
  let request: StreamingRequest | undefined;
  /** The previous request, until its connection is free. */
  let finished: StreamingRequest | undefined;
  const content = createStepContent();
  let hasContent = false;
  let hasRetriedReasoning = false;
  const usage = createStepUsage();
  /** The end of the step before, until the next one is admitted. */
  let unadmitted: AnswerEnd | undefined;
  let state: 'answering' | 'emitted' | 'over' = 'answering';
  /** Thrown after everything before it was emitted. */
  let failure: CallError | undefined;

  function begin(): StreamingRequest {
    number += 1;
    content.begin(step.hold);
    return openStreamingRequest(plan, step, context, options);
  }

  function takeNotices(): readonly ChatEvent[] {
    const events = notices.map((notice): ChatEvent => ({ type: 'notice', notice }));
    for (const citation of citations) events.push({ type: 'citation', citation });
    notices = [];
    citations = [];
    return events;
  }

  /** The usage of all steps, as an event. */
  function usageEvents(): readonly ChatEvent[] {
    const total = usage.total();
    const answer = usage.answer();
    return total ? [{ type: 'usage', usage: total, ...(answer && { answer }) }] : NONE;
  }

  /** The next step; none after an answer that reached the limit of the request. */
  function plannedStep(result: StepResult): ChatStep | undefined {
    const { end } = result;
    const isCut = end.is === 'whole' && end.reason === 'length';
    if (isCut && plan.maxOutputTokens !== undefined) return undefined;
    const next = plan.next?.(result);
    if (!next || context.vendorCalls?.left !== 0) return next;
    // The error so far says more than the limit.
    if (end.is === 'failed') return undefined;
    throw callLimitError(context.vendorCalls, plan.model, options);
  }

  /** Starts another step, or returns the last events of the answer. */
  function conclude(done: StreamingRequest): readonly ChatEvent[] {
    const { turn, end, hadContent } = done.result();
    hasContent ||= hadContent && (!content.isHolding() || turn.toolCalls.length > 0);
    hasRetriedReasoning ||= step.isReasoningRetry === true;
    const result = { step: number, body: step.body, turn, end, hasContent, hasRetriedReasoning };
    const used = usageOfStep(() => done.sent(), turn, end);
    if (used) usage.add(used, step.hold ? 'held' : 'emitted');
    const planned = plannedStep(result);
    const next = planned && withinLimit(planned, plan.maxOutputTokens, usage.total());
    if (next) {
      finished = done;
      request = undefined;
      step = next;
      notices = next.notices ?? [];
      unadmitted = end;
      return NONE;
    }
    state = 'emitted';
    const repaired = plan.repair?.(result);
    const last = content.release(repaired?.text);
    usage.acceptHeld();
    for (const notice of repaired?.notices ?? []) last.push({ type: 'notice', notice });
    if (end.is === 'failed' && !planned) {
      failure = end.error;
      last.push(...usageEvents());
      return last;
    }
    if (end.is === 'whole' && end.notice) last.push({ type: 'notice', notice: end.notice });
    last.push(...usageEvents());
    const stopped = turn.stopText === undefined ? {} : { stopText: turn.stopText };
    // A step that is due, and for which no token is left, is one that the limit has cut.
    const finishReason = end.is === 'failed' || planned ? 'length' : end.reason;
    last.push({ type: 'finish', reason: finishReason, ...stopped });
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
      return [...emitted, ...usageEvents()];
    }
  }

  async function finish(): Promise<undefined> {
    state = 'over';
    if (failure) throw failure;
    await request?.drain();
    request?.close();
  }

  /** Waits for what completes the step. */
  async function prepareStep(prepare: NonNullable<ChatStep['prepare']>): Promise<void> {
    const { prepare: _, ...rest } = step;
    step = rest;
    const prepared = await prepare(rest.body, context);
    step = { ...rest, ...prepared };
    notices = [...notices, ...(prepared.notices ?? [])];
    citations = prepared.citations ?? [];
  }

  /**
   * Has the next step admitted. Where it is refused, the chat ends with the failure of the step
   * before, or with the refusal.
   */
  async function admit(before: AnswerEnd): Promise<void> {
    unadmitted = undefined;
    const [total, last] = [usage.total(), usage.last()];
    // A step after requests that cost nothing is the first one that may.
    if (!total || !last) return;
    try {
      await context.admitFollowUp?.(followUpOf(step, total, last));
    } catch (thrown) {
      state = 'emitted';
      failure = before.is === 'failed' ? before.error : CallError.from(thrown);
    }
  }

  /** Waits until the connection is free for the next step. */
  async function releaseConnection(done: StreamingRequest): Promise<void> {
    await done.drain();
    finished = undefined;
    done.close();
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
        if (step.prepare) await prepareStep(step.prepare);
        if (isClosed()) return undefined;
        if (unadmitted) {
          await admit(unadmitted);
          if (isClosed()) return undefined;
          if (failure) return usageEvents();
        }
        if (state === 'emitted') return await finish();
        if (notices.length + citations.length > 0) return takeNotices();
        request ??= begin();
        const events = await request.next();
        // Closed meanwhile: no further step.
        if (isClosed()) return undefined;
        const emitted = events ? content.take(events) : NONE;
        return request.isOver() ? concludeSafely(request, emitted) : emitted;
      } catch (thrown) {
        close();
        throw thrown;
      }
    },
    close,
  };
}
