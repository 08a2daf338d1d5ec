// The least that one can do: undici, JSON.parse, and events found by their blank lines.
import { Pool } from 'undici';
import { MODEL, question, SYSTEM, type Ask, type Client } from './protocol.ts';

interface Chunk {
  readonly choices: readonly { readonly delta: { readonly content?: string } }[];
}

interface Answer {
  readonly choices: readonly { readonly message: { readonly content: string } }[];
}

const HEADERS = {
  'content-type': 'application/json',
  authorization: 'Bearer sk-0123456789abcdef',
};

export function createFloor(url: string): Client {
  const pool = new Pool(url, { connections: 64 });
  const send = (ask: Ask) =>
    pool.request({
      method: 'POST',
      path: '/v1/chat/completions',
      headers: HEADERS,
      body: JSON.stringify({
        model: MODEL,
        messages: [
          { role: 'system', content: SYSTEM },
          { role: 'user', content: question(ask) },
        ],
        stream: ask !== 'whole',
      }),
    });
  return {
    async whole() {
      const { body } = await send('whole');
      const answer = JSON.parse(await body.text()) as Answer;
      return answer.choices[0]?.message.content.length ?? 0;
    },
    async stream(ask) {
      const { body } = await send(ask);
      const decoder = new TextDecoder();
      let rest = '';
      let text = '';
      for await (const bytes of body) {
        rest += decoder.decode(bytes as Uint8Array, { stream: true });
        let from = 0;
        for (let at = rest.indexOf('\n\n'); at !== -1; at = rest.indexOf('\n\n', from)) {
          const data = rest.slice(from + 6, at);
          from = at + 2;
          if (data === '[DONE]') continue;
          text += (JSON.parse(data) as Chunk).choices[0]?.delta.content ?? '';
        }
        rest = rest.slice(from);
      }
      return text.length;
    },
  };
}
