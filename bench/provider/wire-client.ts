import { systemClock, systemRandom } from '#app/system.ts';
import { createSecret } from '#core/secrets/secret.ts';
import { createOpenAiClient } from '#providers/openai-compatible/openai-client.ts';
import { charsOf, http, newContext } from './machine.ts';
import { MODEL, question, SYSTEM, type Ask, type Client } from './protocol.ts';

/** What every provider of ours stands on, without a vendor's rules. */
export function createWireClient(url: string): Client {
  const wire = createOpenAiClient({
    provider: 'kimi',
    title: 'Kimi',
    baseUrl: `${url}/v1`,
    key: createSecret('sk-0123456789abcdef'),
    keyNeeded: 'no',
    http,
    clock: systemClock,
    random: systemRandom,
    timeouts: { firstTokenMs: 30_000, idleMs: 60_000 },
    idHeaders: ['msh-request-id'],
    headers: {},
    marks: [],
    classify: () => undefined,
  });
  const chat = (ask: Ask) =>
    charsOf(
      wire.chat(
        {
          model: MODEL,
          delivery: ask === 'whole' ? 'whole' : 'stream',
          tools: [],
          first: {
            body: {
              model: MODEL,
              messages: [
                { role: 'system', content: SYSTEM },
                { role: 'user', content: question(ask) },
              ],
              stream: ask !== 'whole',
            },
          },
        },
        newContext(),
      ),
    );
  return { whole: () => chat('whole'), stream: chat };
}
