import { collectChat } from '../collect-chat.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { ChatRequest } from '#core/llm/chat.ts';
import type { Provider, ProviderContext } from '#core/llm/provider.ts';
import { ADD, FIVE, user } from './provider-requests.ts';

const BYTES = Buffer.from('The harbour of Bergen was founded in 1070.');

/** Does all that a provider can and gives back whatever came of it, failures included. */
export async function doEverything(
  provider: Provider,
  model: string,
  context: () => ProviderContext,
): Promise<readonly unknown[]> {
  const seen: unknown[] = [];
  const keep = async (work: Promise<unknown> | undefined): Promise<unknown> => {
    try {
      const result = await work;
      seen.push(result);
      return result;
    } catch (thrown) {
      seen.push(CallError.from(thrown), thrown);
      return undefined;
    }
  };
  const requests: readonly Partial<ChatRequest>[] = [
    {},
    { delivery: 'stream' },
    { tools: [ADD], messages: user('Use add_numbers to add 1 and 2.') },
    { responseFormat: { type: 'json' } },
    { webSearch: {}, messages: user('Search the web: rocket Heron') },
    { model: 'no-such-model' },
    { messages: [] },
  ];
  for (const request of requests)
    await keep(
      collectChat(
        provider.chat(
          { model, delivery: 'whole', messages: user(FIVE), ...request },
          { ...context(), onVendorRequest: (exchange) => seen.push(exchange) },
        ),
      ),
    );
  await keep(provider.check(context()));
  await keep(provider.models?.(context()));
  const purpose = provider.capabilities.includes('file_content') ? 'extract' : 'agent';
  const file = (await keep(
    provider.upload?.(
      {
        name: 'a.txt',
        mediaType: 'text/plain',
        size: BYTES.length,
        purpose,
        async *bytes() {
          yield await Promise.resolve(BYTES);
        },
      },
      context(),
    ),
  )) as { id: string } | undefined;
  const id = file?.id ?? 'none';
  await keep(provider.fileContent?.(id, context()));
  await keep(provider.listFiles?.(context()));
  await keep(provider.deleteFile?.(id, context()));
  await keep(provider.embed?.({ texts: ['rain'] }, context()));
  await keep(provider.countTokens?.({ model, messages: user(FIVE) }, context()));
  await keep(provider.search?.({ query: 'rain' }, context()));
  await keep(provider.read?.({ url: 'https://cook.example/bread', format: 'text' }, context()));
  await keep(provider.balance?.(context()));
  const later = { model, delivery: 'whole', messages: user(FIVE) } as const;
  const task = (await keep(provider.submitAsync?.(later, context()))) as { id: string } | undefined;
  await keep(provider.pollAsync?.(task?.id ?? 'none', context()));
  return seen;
}
