import { CallError } from '#core/call-error.ts';
import type { ChatEvent, TokenUsage } from '#core/chat.ts';
import type { ProviderContext } from '#core/provider.ts';
import { estimateSampled } from '#models/estimate-sampled.ts';
import type { Turn } from './answer-reader.ts';
import { openExchange, type OpenExchange } from './exchange.ts';
import { oneByOne, type Batches } from './one-by-one.ts';
import { addUsage } from './read-usage.ts';
import type { ChatPlan, Round } from './round.ts';
import type { OpenWireOptions } from './wire-options.ts';

/** Runs the exchanges of a plan and tells them as one answer. */
export function chat(
  plan: ChatPlan,
  context: ProviderContext,
  options: OpenWireOptions,
): AsyncIterableIterator<ChatEvent> {
  return oneByOne(createRounds(plan, context, options));
}

const NONE: readonly ChatEvent[] = [];

function createRounds(
  plan: ChatPlan,
  context: ProviderContext,
  options: OpenWireOptions,
): Batches<ChatEvent> {
  let round: Round = plan.first;
  /** Told before the round's exchange begins. */
  let notices = round.notices ?? [];
  let number = 0;
  let exchange: OpenExchange | undefined;
  /** The one before, as long as its connection is not free. */
  let finished: OpenExchange | undefined;
  /** Text that is kept back until the exchange is accepted. */
  let held: ChatEvent[] = [];
  let hasContent = false;
  let isRelieved = false;
  let usage: TokenUsage | undefined;
  let state: 'answering' | 'told' | 'over' = 'answering';
  /** Thrown once everything before it was told. */
  let failure: CallError | undefined;

  function begin(): OpenExchange {
    number += 1;
    held = [];
    return openExchange(plan, round, context, options);
  }

  function tellNotices(): readonly ChatEvent[] {
    const events = notices.map((notice): ChatEvent => ({ type: 'notice', notice }));
    notices = [];
    return events;
  }

  /** Another round, or the last events of the answer. */
  function conclude(over: OpenExchange): readonly ChatEvent[] {
    const { turn, end, hadContent } = over.result();
    hasContent ||= hadContent && (held.length === 0 || turn.toolCalls.length > 0);
    if (turn.usage) usage = addUsage(usage, turn.usage);
    else if (end.is === 'whole') usage = addUsage(usage, estimated(over.sent(), turn));
    isRelieved ||= round.isRelief === true;
    const ended = { round: number, body: round.body, turn, end, hasContent, isRelieved };
    const next = plan.next?.(ended);
    if (next) {
      finished = over;
      exchange = undefined;
      round = next;
      notices = next.notices ?? [];
      return NONE;
    }
    state = 'told';
    const mended = plan.mend?.(ended);
    const last: ChatEvent[] =
      mended && held.length > 0 ? [{ type: 'text', text: mended.text }] : held;
    for (const notice of mended?.notices ?? []) last.push({ type: 'notice', notice });
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

  /** What was told stands, whatever comes of the end. */
  function concluded(over: OpenExchange, told: readonly ChatEvent[]): readonly ChatEvent[] {
    try {
      const last = conclude(over);
      return told.length === 0 ? last : [...told, ...last];
    } catch (thrown) {
      state = 'told';
      failure = CallError.from(thrown);
      return usage ? [...told, { type: 'usage', usage }] : told;
    }
  }

  async function finish(over: OpenExchange): Promise<undefined> {
    state = 'over';
    if (failure) throw failure;
    await over.drain();
    over.close();
  }

  /** Before the next round, so that it finds the connection free. */
  async function leave(over: OpenExchange): Promise<void> {
    await over.drain();
    finished = undefined;
    over.close();
  }

  function withoutText(events: readonly ChatEvent[]): readonly ChatEvent[] {
    held.push(...events.filter(({ type }) => type === 'text'));
    return events.filter(({ type }) => type !== 'text');
  }

  const isClosed = () => state === 'over';

  function close(): void {
    state = 'over';
    finished?.close();
    exchange?.close();
  }

  return {
    async next() {
      if (isClosed()) return undefined;
      try {
        if (finished) await leave(finished);
        // Whoever left meanwhile wants nothing more to be asked.
        if (isClosed()) return undefined;
        if (notices.length > 0) return tellNotices();
        exchange ??= begin();
        if (state === 'told') return await finish(exchange);
        const events = await exchange.next();
        // Whoever closed it meanwhile wants no second round.
        if (isClosed()) return undefined;
        const told = events && round.hold ? withoutText(events) : (events ?? NONE);
        return exchange.isOver() ? concluded(exchange, told) : told;
      } catch (thrown) {
        close();
        throw thrown;
      }
    },
    close,
  };
}

/** For vendors that do not count. */
function estimated(sent: string, { text, reasoning, toolCalls }: Turn): TokenUsage {
  const calls = toolCalls.map((call) => `${call.name}${call.arguments}`).join('');
  const thought = estimateSampled(reasoning);
  return {
    input: estimateSampled(sent),
    output: estimateSampled(text + calls) + thought,
    cached: 0,
    reasoning: thought,
    estimated: true,
  };
}
