import { MODEL, question, SYSTEM, type Ask, type Client } from './protocol.ts';
import { requireSdk } from './require-sdk.ts';

interface OpenAi {
  readonly chat: {
    readonly completions: {
      create(body: object): Promise<Answer & AsyncIterable<Chunk>>;
    };
  };
}

interface Answer {
  readonly choices: readonly { readonly message: { readonly content: string } }[];
}

interface Chunk {
  readonly choices: readonly { readonly delta: { readonly content?: string } }[];
}

export function createOpenAiSdk(url: string): Client {
  const { OpenAI } = requireSdk<{ readonly OpenAI: new (options: object) => OpenAi }>('openai');
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'sk-0123456789abcdef', maxRetries: 0 });
  const ask = (wanted: Ask) =>
    client.chat.completions.create({
      model: MODEL,
      messages: [
        { role: 'system', content: SYSTEM },
        { role: 'user', content: question(wanted) },
      ],
      stream: wanted !== 'whole',
    });
  return {
    whole: async () => (await ask('whole')).choices[0]?.message.content.length ?? 0,
    async stream(wanted) {
      let text = '';
      for await (const chunk of await ask(wanted)) text += chunk.choices[0]?.delta.content ?? '';
      return text.length;
    },
  };
}
