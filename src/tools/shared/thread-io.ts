import { CallError } from '#core/errors/call-error.ts';
import type { Json } from '#core/json/json.ts';
import type { AskAnswer, AskReport, AskRequest } from '#core/llm/ask.ts';
import { errorText } from '#core/messages/error-text.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { NewTurn } from '#core/stores/conversations.ts';
import { toUsd } from '#core/text/money.ts';
import type { Continuation, Thread, ThreadChange } from '#core/threads.ts';

/**
 * Adds the conversation's history to a request, and its last model unless the request names one.
 */
export function withHistory(
  request: AskRequest,
  { history, model }: Pick<Thread, 'history' | 'model'>,
): AskRequest {
  const isNamed = !['', 'auto'].includes((request.model ?? '').trim().toLowerCase());
  return {
    ...request,
    messages: [...history, ...request.messages],
    ...(model !== undefined && !isNamed && { lockedModel: model }),
  };
}

/** The turn that stores a model's answer. */
export function answerTurn(
  tool: string,
  content: string,
  answer: Pick<AskAnswer, 'provider' | 'model' | 'report' | 'reasoning' | 'seams'>,
): NewTurn {
  const { provider, model, report } = answer;
  const usage = usageOf(report);
  const reasoning = keptReasoning(answer);
  return {
    role: 'assistant',
    tool,
    content,
    provider,
    model,
    ...(reasoning !== '' && { reasoning }),
    ...(usage !== undefined && { usage }),
  };
}

/** Longer reasoning would cost more than it helps; models accept a turn without. */
const MAX_REASONING_CHARS = 200_000;

/** The reasoning to store. That of an answer by several models belongs to none of them. */
function keptReasoning({ reasoning, seams }: Pick<AskAnswer, 'reasoning' | 'seams'>): string {
  return seams.length > 0 || reasoning.length > MAX_REASONING_CHARS ? '' : reasoning;
}

/** The model that later calls of the conversation stay with; none after an extractive fallback. */
export function stickyModel({
  provider,
  model,
}: Pick<AskAnswer, 'provider' | 'model'>): ThreadChange {
  return provider === 'extractive' ? {} : { model };
}

/** Usage by the field names of the envelope. */
function usageOf({ usage, costMicroUsd, costKnown }: AskReport): Json | undefined {
  if (!usage) return undefined;
  const { input, output, cached, reasoning, estimated } = usage;
  return {
    input,
    output,
    cached,
    reasoning,
    cost_usd: toUsd(costMicroUsd),
    ...(!costKnown && { unpriced: true }),
    estimated: estimated || !costKnown,
  };
}

interface SavedTurns {
  readonly continuation?: Continuation;
  readonly notices: readonly Notice[];
}

/**
 * Saves the turns of an answer. A failure to save becomes a notice, because the answer itself is
 * still worth returning.
 */
export async function saveTurns(
  thread: Thread,
  turns: readonly NewTurn[],
  change?: ThreadChange,
): Promise<SavedTurns> {
  try {
    return { continuation: await thread.append(turns, change), notices: [] };
  } catch (thrown) {
    const error = errorText(CallError.from(thrown));
    return { notices: [notice('conversation_not_kept', { error })] };
  }
}

/** Saves the turns of an answer and its model; an answer without a text is not kept. */
export async function saveAnswer(
  thread: Thread,
  turns: readonly NewTurn[],
  answer: Pick<AskAnswer, 'provider' | 'model' | 'text'>,
  stays: 'stays' | 'open' = 'stays',
): Promise<SavedTurns> {
  if (answer.text === '') return { notices: [] };
  return saveTurns(thread, turns, stays === 'stays' ? stickyModel(answer) : {});
}
