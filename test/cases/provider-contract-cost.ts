import type { ProviderId } from '#core/llm/provider.ts';
import type { createCatalogue } from '#models/catalogue.ts';
import { costOf } from '#models/price.ts';
import { CHAT_TOKENS, type ContractCase } from './provider-contract-cases.ts';

/** A case that is due with a provider, and the model that it asks. */
export interface DueCase {
  readonly provider: ProviderId;
  readonly model: string;
  readonly case: ContractCase;
}

/** What the cases cost at most, by model, as lines for the user. */
export function describeContractCost(
  due: readonly DueCase[],
  catalogue: Pick<ReturnType<typeof createCatalogue>, 'find'>,
): readonly string[] {
  const chats = new Map<string, { readonly due: DueCase; count: number }>();
  for (const each of due) {
    const count = each.case.chats ?? 0;
    if (count === 0) continue;
    const key = `${each.provider}/${each.model}`;
    const known = chats.get(key);
    if (known) known.count += count;
    else chats.set(key, { due: each, count });
  }
  if (chats.size === 0) return ['No provider is set up, so nothing is asked and it costs nothing.'];
  let microUsd = 0;
  let isKnown = true;
  const rows = [...chats].map(
    ([
      key,
      {
        due: { provider, model },
        count,
      },
    ]) => {
      const usage = {
        input: count * CHAT_TOKENS.input,
        output: count * CHAT_TOKENS.output,
        cached: 0,
        reasoning: 0,
        estimated: true,
      };
      const { price } = catalogue.find(model, provider) ?? {};
      const cost = price ? costOf({ price }, usage).microUsd : undefined;
      microUsd += cost ?? 0;
      isKnown &&= cost !== undefined;
      return `  ${key}: ${count} chats, ${cost === undefined ? 'price unknown' : `at most ${usd(cost)}`}`;
    },
  );
  const { input, output } = CHAT_TOKENS;
  return [
    `This costs at most ${usd(microUsd)}${isKnown ? '' : ', and what models without a known price cost'}:`,
    ...rows,
    `Counted with ${input} tokens of input and ${output} of output for each chat. Files, searches and embeddings are extra.`,
  ];
}

const usd = (microUsd: number): string => `$${(microUsd / 1_000_000).toFixed(2)}`;
