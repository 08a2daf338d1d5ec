// The `ai` package, whichever it is asked for, over its provider for anything that speaks OpenAI's API, as a client of the gateway.
import * as z from 'zod';
import { ASK, CITY_ASK, PNG, WEATHER_ASK, drive, fault, weather } from './drive.mjs';
import {
  LONG_ASK,
  STORY_ASK,
  apart,
  failureOf,
  kimiDies,
  sawLeaving,
  tooLong,
} from './gateway-drive.mjs';

await drive(async (server, { sdk, provider: providerPackage }) => {
  const ai = await import(sdk);
  const { createOpenAICompatible } = await import(providerPackage);
  const { baseURL, key } = server;
  const open = (options) =>
    createOpenAICompatible({
      name: 'exai',
      baseURL,
      apiKey: key,
      includeUsage: true,
      supportsStructuredOutputs: true,
      ...options,
    });
  const ask = (prompt, model = 'auto', options = {}) => ({
    model: open(options)(model),
    prompt,
    maxRetries: 0,
  });
  const quiet = { onError: () => {} };
  const tools = {
    [weather.name]: ai.tool({
      description: weather.description,
      inputSchema: ai.jsonSchema(weather.parameters),
      execute: (input) => weather.run(input),
    }),
  };
  const withTools = () => ({ ...ask(WEATHER_ASK), tools, stopWhen: ai.stepCountIs(3) });
  const callsOf = (steps) =>
    steps
      .flatMap(({ toolCalls }) => toolCalls)
      .map(({ toolName, input }) => ({ name: toolName, arguments: input }));

  /** Errors of a stream are parts of it here; the first is thrown. */
  async function read(result, told = { text: '', calls: '' }) {
    const texts = [];
    for await (const part of result.fullStream) {
      if (part.type === 'text-delta') {
        texts.push(part.text);
        told.text += part.text;
      }
      if (part.type === 'tool-input-delta') told.calls += part.delta;
      if (part.type === 'tool-call') told.whole = part.input;
      if (part.type === 'error') throw part.error;
    }
    const [finish, usage, steps] = await Promise.all([
      result.finishReason,
      result.totalUsage ?? result.usage,
      result.steps,
    ]);
    const pieces = texts.filter(Boolean).length;
    return { text: texts.join(''), pieces, finish, usage, calls: callsOf(steps) };
  }

  async function broken(asked, plan) {
    await fault(server, { vendor: 'kimi', ...plan });
    const told = { text: '', calls: '' };
    const threw = await failureOf(() => read(ai.streamText({ ...asked, ...quiet }), told));
    return { told, threw };
  }

  const well = (prompt, model) => ai.generateText(ask(prompt, model));

  return apart(server, well, {
    async chat() {
      const { text, finishReason, usage } = await ai.generateText(ask(ASK));
      return { text, finish: finishReason, usage };
    },
    async stream() {
      // What comes in one read is told as one piece.
      await fault(server, { vendor: 'glm', id: 'slow', with: { chunkMs: 20 } });
      return read(ai.streamText({ ...ask(ASK), ...quiet }));
    },
    async tools() {
      const { text, steps, totalUsage, usage } = await ai.generateText(withTools());
      return { text, calls: callsOf(steps), usage: totalUsage ?? usage };
    },
    toolStream: () => read(ai.streamText({ ...withTools(), ...quiet })),
    async structured() {
      const schema = z.object({ name: z.string(), people: z.number().int() });
      const output = ai.Output.object({ schema });
      return (await ai.generateText({ ...ask(CITY_ASK), output })).output;
    },
    async image() {
      const { prompt: _, ...rest } = ask('');
      const data = new Uint8Array(Buffer.from(PNG, 'base64'));
      const picture = { type: 'file', mediaType: 'image/png', data };
      const content = [{ type: 'text', text: 'What is this?' }, picture];
      const { text } = await ai.generateText({ ...rest, messages: [{ role: 'user', content }] });
      return { text };
    },
    async stop() {
      const asked = { ...ask('Say exactly: one two three four'), stopSequences: ['three'] };
      return { text: (await ai.generateText(asked)).text };
    },
    async maxTokens() {
      const { finishReason } = await ai.generateText({ ...ask(LONG_ASK), maxOutputTokens: 20 });
      return { finish: finishReason };
    },
    async reasoning() {
      const asked = ask('Say exactly: done [[think 12]]', 'kimi-k2.6');
      const options = { ...asked, providerOptions: { exai: { reasoningEffort: 'high' } } };
      const { text, reasoningText } = await ai.generateText(options);
      return { text, thoughts: reasoningText ?? '' };
    },
    async embeddings() {
      const values = [
        'a cat sat on the mat',
        'the cat sat on a mat',
        'quarterly revenue of the bank',
      ];
      const model = open().embeddingModel('embedding-3');
      const { embeddings, usage } = await ai.embedMany({ model, values, maxRetries: 0 });
      return { vectors: embeddings, usage };
    },
    unknownModel: () => failureOf(() => ai.generateText(ask(ASK, 'no-such-model'))),
    wrongKey: () => failureOf(() => ai.generateText(ask(ASK, 'auto', { apiKey: 'sk-unknown' }))),
    tooLong: () =>
      failureOf(() =>
        ai.generateText(
          ask(tooLong(), 'glm-4.7-flash', { headers: { 'x-exai-fallback': 'none' } }),
        ),
      ),
    async anotherAnswers() {
      await fault(server, { vendor: 'kimi', id: 'F4', times: 2 });
      const { text, response } = await ai.generateText(ask(ASK, 'kimi-k2.6'));
      return { text, provider: response.headers['x-exai-provider'] };
    },
    async abort() {
      await fault(server, { vendor: 'kimi', id: 'slow', with: { chunkMs: 60 } });
      const leaving = new AbortController();
      const asked = { ...ask(LONG_ASK, 'kimi-k2.6'), ...quiet, abortSignal: leaving.signal };
      let pieces = 0;
      for await (const part of ai.streamText(asked).fullStream) {
        if (part.type === 'text-delta') pieces += 1;
        if (pieces === 3) leaving.abort();
        if (part.type === 'abort') break;
      }
      return { pieces, upstream: await sawLeaving(server, 'kimi') };
    },
    async dies() {
      await kimiDies(server);
      return read(ai.streamText({ ...ask(STORY_ASK, 'kimi-k2.6'), ...quiet }));
    },
    diesAlone: () =>
      broken(ask(STORY_ASK, 'kimi-k2.6', { headers: { 'x-exai-continue': 'false' } }), {
        id: 'F5.cut',
        after: 9,
      }),
    async toolMended() {
      const args = JSON.stringify({
        city: 'Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch',
      });
      for (let after = 3; after < 60; after += 3) {
        const asked = {
          ...ask(`Go. [[call get_weather ${args}]]`, 'kimi-k2.6'),
          tools,
          providerOptions: { exai: { reasoningEffort: 'none' } },
        };
        const { told, threw } = await broken(asked, { id: 'F5.cut', after });
        if (told.calls !== args) return { told, threw, after };
      }
      return { calls: 'whole' };
    },
    async toolCut() {
      const args = JSON.stringify({
        city: 'Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch',
      });
      for (let after = 3; after < 60; after += 3) {
        const asked = {
          ...ask(`Go. [[call get_weather ${args}]]`, 'kimi-k2.6'),
          tools,
          providerOptions: { exai: { reasoningEffort: 'none', exai: { stream_tools: true } } },
        };
        const { told, threw } = await broken(asked, { id: 'F5.cut', after });
        if (told.calls !== args) return { told, threw, args, after };
      }
      return { told: null };
    },
  });
});
