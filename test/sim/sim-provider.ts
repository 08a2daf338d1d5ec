import { CallError } from '#core/errors/call-error.ts';
import type { ChatEvent, ChatRequest, TokenUsage } from '#core/llm/chat.ts';
import type { Clock } from '#core/time/clock.ts';
import { startTimeouts } from '#net/timeouts.ts';
import { callLimitError } from '#providers/openai-compatible/call-limit-error.ts';
import type { AcquirePermit, RateResponse } from '#providers/openai-compatible/client-options.ts';
import type { Capability, Provider, ProviderContext, ProviderId } from '#core/llm/provider.ts';
import { estimateChat } from '#models/estimate-chat.ts';
import { addUsage } from '#providers/openai-compatible/response/usage.ts';
import { askOf, wordsOf } from './answer-text.ts';
import { errorOf, faultKind, type Fault, type FaultKind } from './faults.ts';
import { VENDOR_MODES, type VendorMode } from './vendor-modes.ts';
import { createPace, type Pace } from './pace.ts';
import type { SeededRandom } from './random.ts';
import type { Entry, SimAccount } from './sim-account.ts';
import { AMPLE_TOKENS, simAnswerOf } from './sim-answer.ts';
import type { Served, VendorBook } from './vendor-book.ts';

export interface SimProviderOptions {
  readonly id: ProviderId;
  readonly can: readonly Capability[];
  readonly clock: Clock;
  readonly random: SeededRandom;
  readonly book: VendorBook;
  readonly mode: () => VendorMode;
  /** What it takes of a prompt; nothing where it takes all. */
  readonly windowTokens?: number;
  /** What it says that a request costs; nothing where its list of prices tells. */
  readonly bill?: (model: string, usage: TokenUsage) => number;
  readonly gate?: AcquirePermit;
  /** The key that it is asked with, from 0, and its account. */
  readonly key: number;
  readonly account?: SimAccount;
  /** Something came that is no word of the answer. */
  readonly keepAlive: (pace: Pick<Pace, 'alive' | 'spoke'>) => void;
  readonly learn: (learn: () => void) => void;
  /** How long it is waited for a place, if not until the deadline. */
  readonly queueMs: (ms: number | undefined) => number | undefined;
  readonly countCall: (count: () => void) => void;
  readonly tell: (what: string) => void;
  readonly onAsked: (served: Served, context: ProviderContext) => void;
  readonly onAdmitted: (served: Served) => void;
  /** What an answer may not suffer: a thinker that is cut off, or one that is heard for ever. */
  readonly onWrongPause: (served: Served, what: string) => void;
  /** More came at once than the account had said that it takes. */
  readonly onOverrun: (served: Served) => void;
  readonly onCharged: (served: Served, usage: TokenUsage) => void;
  /** It was let think less, and is asked once more for the same. */
  readonly onFollowUp: (served: Served) => void;
}

/** What a vendor needs of whoever asks it. */
interface AnswerTo {
  readonly says: (status: number) => void;
  readonly admit: (used: TokenUsage, inputTokens: number) => Promise<boolean>;
}

type UsageEvent = Extract<ChatEvent, { type: 'usage' }>;

/** Vendors read a little less into a prompt than we do. */
const READ_SHARE = 0.9;
const NEVER_MS = Infinity;

/**
 * A vendor that answers with numbered words, or fails by its mode. Whatever it does is in its book.
 */
export function createSimProvider(options: SimProviderOptions): Provider {
  const { id, clock, random, book } = options;

  async function* answer(
    request: ChatRequest,
    pace: Pace,
    served: Served,
    { says, admit }: AnswerTo,
  ): AsyncGenerator<ChatEvent, 'ok' | 'unfinished'> {
    const mode = options.mode();
    const fault: Fault = random.pick(VENDOR_MODES[mode]);
    const kind = faultKind(fault);
    options.tell(`${mode}, ${fault} for ${request.model}`);
    const slowness = fault === 'slow' ? random.between(3, 25) : 1;
    const fail = (errorClass: ConstructorParameters<typeof CallError>[0]) =>
      errorOf(errorClass, fault, { provider: id, model: request.model }, random);
    const input = Math.max(
      1,
      Math.floor(estimateChat(request.messages, request.tools) * READ_SHARE),
    );
    const isWhole = request.delivery === 'whole';
    const held: ChatEvent[] = [];
    const send = (event: ChatEvent): ChatEvent[] => {
      if (isWhole) held.push(event);
      else if (isWord(event)) served.hasSpoken = true;
      return isWhole ? [] : [event];
    };

    /** Each request is charged by itself, and counted with those before it. */
    let before: TokenUsage | undefined;
    function usageOf(output: number, reasoning: number): UsageEvent {
      const cached = random.chance(0.3) ? Math.floor(input / 2) : 0;
      const estimated = random.chance(0.1);
      const counts = { input, output: output + reasoning, cached, reasoning, estimated };
      const costMicroUsd = options.bill?.(request.model, counts);
      const charged = { ...counts, ...(costMicroUsd !== undefined && { costMicroUsd }) };
      const usage = addUsage(before, charged);
      const first = before ?? charged;
      before = usage;
      served.usage = usage;
      options.onCharged(served, charged);
      const own = { ...charged, input: first.input, cached: first.cached };
      return { type: 'usage', usage, ...(usage !== charged && { answer: own }) };
    }

    await pace.pass(random.between(2, 120) * slowness);
    if (kind?.when === 'before') {
      if (kind.status !== undefined) says(kind.status);
      if (kind.how === 'rate_limit') teach({ is: 'limited' });
      if (kind.how === 'silence') await pace.pass(NEVER_MS);
      if (fault === 'empty' && random.chance(0.5)) yield usageOf(0, 0);
      throw fail(kind.how as CallError['class']);
    }
    says(200);
    teach({ is: 'accepted' });
    const { windowTokens } = options;
    if (windowTokens !== undefined && input > windowTokens) {
      const facts = { provider: id, model: request.model, contextTokens: windowTokens };
      throw new CallError('context_length', 'The prompt is longer than the window.', facts);
    }
    yield* send({ type: 'start', model: request.model });
    const isAmple = (request.maxOutputTokens ?? Infinity) >= AMPLE_TOKENS;
    const mayThink = isAmple && served.kind === 'answer';
    let reasoning = 0;
    if (kind?.when === 'thoughts' || (mayThink && random.chance(0.3))) {
      await pace.pass(random.between(2, 80) * slowness);
      reasoning = Math.min(random.between(1, 20), request.maxOutputTokens ?? Infinity);
      pace.spoke();
      yield* send({ type: 'reasoning', text: 'hm '.repeat(reasoning) });
    }
    if (fault === 'ponders' && mayThink) {
      reasoning ||= 1;
      pace.spoke();
      yield* send({ type: 'reasoning', text: 'hm ' });
      await ponder(pace, served);
    }
    if (kind?.when === 'thoughts') {
      const spent = usageOf(0, reasoning);
      if (request.maxOutputTokens !== undefined) {
        yield* send(spent);
        yield* send({ type: 'finish', reason: 'length' });
        yield* flushed(held, served);
        return 'ok';
      }
      const isAdmitted = random.chance(0.7) && (await admit(spent.usage, input));
      if (!isAdmitted) {
        yield* send(spent);
        yield* flushed(held, served);
        throw fail('empty_response');
      }
      reasoning = 0;
      options.onFollowUp(served);
    }

    const breaks = kind?.when === 'thoughts' ? undefined : kind;
    const saying = simAnswerOf(request, served, random);
    served.repeats = saying.repeats ?? false;
    served.isAmbiguous = saying.isAmbiguous ?? false;
    const told = breaks ? random.between(0, saying.events.length) : saying.events.length;
    try {
      for (const event of saying.events.slice(0, told)) {
        await pace.pass(random.between(1, 60) * slowness);
        if (isWord(event)) pace.spoke();
        yield* send(event);
      }
    } catch (thrown) {
      // What the first request took is known.
      if (before) yield { type: 'usage', usage: before };
      throw thrown;
    }
    if (fault === 'babbles') await babble(pace, served);
    if (breaks) return breakOff(breaks, fail, pace, isWhole);
    const { text, finish } = saying;
    if (text === '' && !saying.events.some(isWord)) {
      yield* send(usageOf(0, reasoning));
      yield* flushed(held, served);
      throw fail('empty_response');
    }
    // No more is charged than was allowed.
    const words = Math.min(wordsOf(text).length, request.maxOutputTokens ?? Infinity);
    yield* send(usageOf(words, reasoning));
    yield* send({ type: 'finish', reason: finish });
    yield* flushed(held, served);
    return 'ok';
  }

  const teach = (response: RateResponse) => options.learn(() => options.gate?.learn?.(response));

  /** Thinks for longer than a pause may be, though not for longer than the limit of the first word. */
  async function ponder(pace: Pace, served: Served): Promise<void> {
    const { firstTokenMs, idleMs } = pace.limits ?? { firstTokenMs: 400, idleMs: 200 };
    const mostMs = Math.floor(Math.max(firstTokenMs, idleMs) * 0.9);
    const ponderMs = Math.min(mostMs, random.between(idleMs, idleMs * 6));
    try {
      await comment(pace, ponderMs, idleMs / 2);
    } catch (thrown) {
      if (pace.ranOut && pace.limits)
        options.onWrongPause(served, `is cut off while it thinks for ${ponderMs} ms`);
      throw thrown;
    }
  }

  /** Sends comments alone. */
  async function babble(pace: Pace, served: Served): Promise<void> {
    if (!pace.limits) return;
    const { firstTokenMs, idleMs } = pace.limits;
    const everyMs = idleMs / 2;
    const endsAt = pace.since + Math.max(firstTokenMs, idleMs);
    await comment(pace, endsAt + everyMs - clock.monotonic(), everyMs);
    options.onWrongPause(served, `is still heard after ${clock.monotonic() - endsAt} ms too many`);
  }

  async function comment(pace: Pace, forMs: number, everyMs: number): Promise<void> {
    for (let leftMs = forMs; leftMs > 0; leftMs -= everyMs) {
      await pace.pass(Math.min(everyMs, leftMs));
      options.keepAlive(pace);
    }
  }

  async function* chat(
    request: ChatRequest,
    context: ProviderContext,
  ): AsyncGenerator<ChatEvent, void> {
    const { model } = request;
    const { maxOutputTokens } = request;
    const about = {
      provider: id,
      model,
      ask: askOf(request.messages),
      kind: kindOf(request),
      maxOutputTokens,
      context,
      key: options.key,
    };
    const served = book.begin(about);
    options.onAsked(served, context);
    const startedAt = clock.monotonic();
    let status: number | undefined;
    let leave: (() => void) | undefined;
    let leaveAccount: (() => void) | undefined;
    let pace: Pace | undefined;
    try {
      leave = await admitted(context, served);
      if (context.vendorCalls?.left === 0)
        throw callLimitError(context.vendorCalls, model, { provider: id });
      served.isAdmitted = true;
      options.countCall(() => context.vendorCalls?.count());
      options.onAdmitted(served);
      pace = createPace(context, request.delivery, clock);
      const entry = options.account?.enter();
      if (entry?.is === 'in') leaveAccount = () => entry.leave();
      else if (entry) {
        if (options.account?.isOverrun) options.onOverrun(served);
        await pace.pass(random.between(2, 60));
        status = entry.error.class === 'rate_limit' ? 429 : 401;
        refusedBy(entry);
      }
      const end = yield* answer(request, pace, served, {
        says: (said) => (status = said),
        admit: (used, inputTokens) => mayFollowUp(context, used, inputTokens),
      });
      book.end(served, end === 'ok' ? 'ok' : 'interrupted');
    } catch (thrown) {
      const error = CallError.from(thrown, { provider: id, model });
      const isTheirs = error.class === 'cancelled' && !context.signal.aborted;
      book.end(served, isTheirs ? 'network' : error.class);
      throw error;
    } finally {
      // Whoever asked may have stopped listening.
      book.end(served, 'cancelled');
      pace?.end();
      leaveAccount?.();
      leave?.();
      context.onVendorRequest?.({
        provider: id,
        operation: 'chat',
        model,
        elapsedMs: clock.monotonic() - startedAt,
        ...(status !== undefined && { status }),
        outcome: served.outcome ?? 'cancelled',
        vendorIds: {},
      });
    }
  }

  /** The account refuses the request, and the daemon learns what it may send. */
  function refusedBy({ error, concurrency }: Extract<Entry, { is: 'out' }>): never {
    if (error.class === 'rate_limit') {
      const { retryAfterMs } = error;
      teach({
        is: 'limited',
        ...(concurrency !== undefined && { concurrency }),
        ...(retryAfterMs !== undefined && { pauseMs: retryAfterMs }),
      });
      if (concurrency !== undefined) options.account?.told();
    }
    throw error;
  }

  /** Standing in line does not outlast the deadline either. */
  async function admitted(
    context: ProviderContext,
    served: Served,
  ): Promise<(() => void) | undefined> {
    const { gate } = options;
    if (!gate) return undefined;
    const { deadline, signal } = context;
    const ms = options.queueMs(context.queueMs);
    const tooLong = gate.queueTimeoutError ?? (() => new CallError('over_capacity', 'No place.'));
    const within = startTimeouts({ clock, deadline, signal, queue: { ms, tooLong } });
    try {
      return await gate(within.signal);
    } catch (thrown) {
      served.foundQueueFull = !within.signal.aborted;
      throw thrown;
    } finally {
      within.dispose();
    }
  }

  return {
    id,
    title: id,
    capabilities: options.can,
    chat,
    check: () => Promise.resolve('it is simulated'),
  };
}

async function mayFollowUp(
  { admitFollowUp }: ProviderContext,
  used: TokenUsage,
  inputTokens: number,
): Promise<boolean> {
  try {
    await admitFollowUp?.({ used, inputTokens });
    return true;
  } catch {
    return false;
  }
}

function* flushed(held: readonly ChatEvent[], served: Served): Generator<ChatEvent> {
  served.hasSpoken ||= held.some(isWord);
  yield* held;
}

async function breakOff(
  kind: FaultKind,
  fail: (errorClass: CallError['class']) => CallError,
  pace: Pace,
  isWhole: boolean,
): Promise<'unfinished'> {
  if (kind.how === 'silence') await pace.pass(NEVER_MS);
  if (kind.how === 'end' || kind.how === 'silence') return 'unfinished';
  throw fail(kind.how === 'interrupted' && isWhole ? 'network' : kind.how);
}

function isWord({ type }: ChatEvent): boolean {
  return type === 'text' || type === 'reasoning' || type === 'tool_call';
}

function kindOf({ responseFormat, messages }: ChatRequest): Served['kind'] {
  const isIntent = responseFormat?.type === 'json_schema' && responseFormat.name === 'intent';
  const asks = messages.some(({ role, content }) => role === 'user' && isQuestion(content));
  return isIntent || !asks ? 'aside' : 'answer';
}

function isQuestion(content: string | readonly { readonly type: string }[]): boolean {
  return (typeof content === 'string' ? content : JSON.stringify(content)).includes('Question (');
}
