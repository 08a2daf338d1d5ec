import type { AskAnswer, AskReport } from '#core/ask.ts';
import type { Json } from '#core/json.ts';
import { toUsd } from '#core/money.ts';
import type { NewTurn } from '#core/stores/conversations.ts';
import type { ThreadChange } from '#core/threads.ts';

/** What a model answered, as its conversation keeps it. */
export function answerTurn(
  tool: string,
  content: string,
  { provider, model, report }: Pick<AskAnswer, 'provider' | 'model' | 'report'>,
): NewTurn {
  const usage = usageOf(report);
  return {
    role: 'assistant',
    tool,
    content,
    provider,
    model,
    ...(usage !== undefined && { usage }),
  };
}

/** Whom later calls stay with: whoever answered, unless that was no model but a quotation of what was given. */
export function lockOf({ provider, model }: Pick<AskAnswer, 'provider' | 'model'>): ThreadChange {
  return provider === 'local' ? {} : { model };
}

/** By the names of the envelope. */
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
