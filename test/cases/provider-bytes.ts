import { expect } from 'vitest';
import { collectChat } from '../collect-chat.ts';
import type { Http, HttpResponse } from '#core/net/http.ts';
import { verifies } from '../verifies.ts';
import { user } from './provider-requests.ts';
import type { Suite } from './provider-suite.ts';
import { openProvider } from './provider-under-test.ts';

const TEXT = 'naïve 漢字 🙂 é';

/** However the network cuts an answer, the text is the same. */
export function byteCases({ subject, open, answer }: Suite): void {
  const request = {
    model: subject.model,
    delivery: 'stream',
    messages: user(`[[think 2]] Say exactly: ${TEXT}`),
  } as const;

  verifies('wire:sse', 'gives the same text when every byte comes alone', async () => {
    const { vendor } = subject;
    for (const delivery of ['stream', 'whole'] as const) {
      open().emulator.fault({
        id: 'F6.split',
        vendor,
        path: vendor === 'anthropic' ? 'messages' : 'chat',
      });
      expect((await answer({ ...request, delivery })).text).toBe(TEXT);
    }
  });

  verifies('wire:sse', 'gives the same text wherever its bytes are cut in two', async () => {
    const tape: { bytes: Buffer; answer?: HttpResponse; cutAt: number } = {
      bytes: Buffer.alloc(0),
      cutAt: 0,
    };
    const harness = await openProvider(subject, { between: (http) => cutting(http, tape) });
    const { provider } = harness;
    try {
      const first = await collectChat(provider.chat(request, harness.context()));
      expect(first.answer.text).toBe(TEXT);
      expect(tape.bytes.length).toBeGreaterThan(1_000);
      const wrong: number[] = [];
      for (tape.cutAt = 1; tape.cutAt < tape.bytes.length; tape.cutAt += 1) {
        const { answer: told } = await collectChat(provider.chat(request, harness.context()));
        if (told.text !== TEXT || told.reasoning !== first.answer.reasoning) wrong.push(tape.cutAt);
      }
      expect(wrong).toEqual([]);
    } finally {
      await harness.close();
    }
  });
}

/** Keeps the first chat's bytes, and gives them to all later ones, cut in two. */
function cutting(http: Http, tape: { bytes: Buffer; answer?: HttpResponse; cutAt: number }): Http {
  return {
    ...http,
    async send(request) {
      if (!/\/(?:chat\/|messages$)/.test(request.url)) return http.send(request);
      if (!tape.answer) {
        const answer = await http.send(request);
        const chunks: Uint8Array[] = [];
        for await (const chunk of answer.body) chunks.push(chunk);
        tape.bytes = Buffer.concat(chunks);
        tape.answer = answer;
      }
      const { bytes, cutAt, answer } = tape;
      async function* body() {
        yield await Promise.resolve(bytes.subarray(0, cutAt));
        yield bytes.subarray(cutAt);
      }
      return {
        status: answer.status,
        headers: answer.headers,
        body: body(),
        text: () => Promise.resolve(bytes.toString()),
      };
    },
  };
}
