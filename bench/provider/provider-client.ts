import { systemClock, systemRandom } from '#app/system.ts';
import type { ChatRequest } from '#core/llm/chat.ts';
import type { Provider } from '#core/llm/provider.ts';
import { createSecret } from '#core/secrets/secret.ts';
import { createCatalogue } from '#models/catalogue.ts';
import { createHttp } from '#net/create-http.ts';
import { createKimi } from '#providers/kimi/kimi.ts';
import { charsOf, http, NETWORK, newContext } from './machine.ts';
import { MODEL, question, SYSTEM, type Client } from './protocol.ts';

export function openKimi(url: string): Provider {
  const catalogue = createCatalogue();
  return createKimi(
    { baseUrl: `${url}/v1`, key: createSecret('sk-0123456789abcdef') },
    {
      http,
      publicHttp: createHttp({ network: NETWORK, guard: 'public', clock: systemClock }),
      clock: systemClock,
      random: systemRandom,
      catalogue: () => catalogue,
      timeouts: { firstTokenMs: 30_000, idleMs: 60_000 },
    },
  );
}

export const requestFor = (ask: string, delivery: ChatRequest['delivery']): ChatRequest => ({
  model: MODEL,
  delivery,
  messages: [
    { role: 'system', content: SYSTEM },
    { role: 'user', content: question(ask) },
  ],
});

/** A provider as the daemon has it: catalogue, checks, policies, the wire and the network. */
export function createProviderClient(url: string): Client {
  const kimi = openKimi(url);
  return {
    whole: () => charsOf(kimi.chat(requestFor('whole', 'whole'), newContext())),
    stream: (ask) => charsOf(kimi.chat(requestFor(ask, 'stream'), newContext())),
  };
}
