import { MODEL, question, SYSTEM, type Ask, type Client } from './protocol.ts';
import { requireSdk } from './require-sdk.ts';

interface Ai {
  generateText(options: object): Promise<{ readonly text: string }>;
  streamText(options: object): { readonly textStream: AsyncIterable<string> };
}

interface Compatible {
  createOpenAICompatible(options: object): (model: string) => unknown;
}

export function createAiSdk(url: string): Client {
  const ai = requireSdk<Ai>('ai');
  const provider = requireSdk<Compatible>('@ai-sdk/openai-compatible').createOpenAICompatible({
    name: 'kimi',
    baseURL: `${url}/v1`,
    apiKey: 'sk-0123456789abcdef',
  });
  const options = (ask: Ask) => ({
    model: provider(MODEL),
    system: SYSTEM,
    prompt: question(ask),
    maxRetries: 0,
  });
  return {
    whole: async () => (await ai.generateText(options('whole'))).text.length,
    async stream(ask) {
      let text = '';
      for await (const piece of ai.streamText(options(ask)).textStream) text += piece;
      return text.length;
    },
  };
}
