// The `ai` package, whichever it is asked for, over one of its providers, as a client.
import * as z from 'zod';
import { ASK, CITY_ASK, PNG, WEATHER_ASK, drive, fault, weather } from './drive.mjs';

await drive(async (server, { sdk, provider: providerPackage }) => {
  const ai = await import(sdk);
  const made = await import(providerPackage);
  const { baseURL, key, model: modelId, options } = server;
  const open = (apiKey = key) =>
    made.createMoonshotAI
      ? made.createMoonshotAI({ baseURL, apiKey })
      : made.createOpenAICompatible({
          name: server.vendor,
          baseURL,
          ...(apiKey && { apiKey }),
          includeUsage: true,
          supportsStructuredOutputs: server.steps.includes('structured'),
        });
  const ask = (prompt, model = open()(modelId)) => ({
    model,
    prompt,
    maxRetries: 0,
    ...(options && { providerOptions: options }),
  });
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
      .map(({ toolCallId, toolName, input }) => ({
        id: toolCallId,
        name: toolName,
        arguments: input,
      }));

  /** Errors of a stream are parts of it here; the first is thrown. */
  async function read(result) {
    const texts = [];
    for await (const part of result.fullStream) {
      if (part.type === 'text-delta') texts.push(part.text);
      if (part.type === 'error') throw part.error;
    }
    const [finish, usage, steps] = await Promise.all([
      result.finishReason,
      result.totalUsage ?? result.usage,
      result.steps,
    ]);
    return {
      text: texts.join(''),
      pieces: texts.filter(Boolean).length,
      finish,
      usage,
      calls: callsOf(steps),
    };
  }
  const quiet = { onError: () => {} };

  return {
    async chat() {
      const { text, finishReason, usage, reasoningText } = await ai.generateText(ask(ASK));
      return { text, finish: finishReason, usage, reasoning: reasoningText ?? '' };
    },
    stream: () => read(ai.streamText({ ...ask(ASK), ...quiet })),
    async tools() {
      const { text, steps, totalUsage } = await ai.generateText(withTools());
      return { text, calls: callsOf(steps), usage: totalUsage };
    },
    toolStream: () => read(ai.streamText({ ...withTools(), ...quiet })),
    async toolThoughts() {
      const { text, steps } = await ai.generateText({
        ...withTools(),
        providerOptions: server.thoughtOptions,
      });
      return { text, thoughts: steps[0].reasoningText ?? '' };
    },
    async structured() {
      const schema = z.object({ name: z.string(), people: z.number().int() });
      const { output } = await ai.generateText({
        ...ask(CITY_ASK),
        output: ai.Output.object({ schema }),
      });
      return output;
    },
    async image() {
      const { prompt: _, ...rest } = ask('', open()(server.visionModel ?? modelId));
      const data = new Uint8Array(Buffer.from(PNG, 'base64'));
      const { text } = await ai.generateText({
        ...rest,
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'What is this?' },
              { type: 'file', mediaType: 'image/png', data },
            ],
          },
        ],
      });
      return { text };
    },
    async embeddings() {
      const { embeddings, usage } = await ai.embedMany({
        model: open().embeddingModel(server.embeddingModel),
        values: ['a cat sat on the mat', 'the cat sat on a mat', 'quarterly revenue of the bank'],
      });
      return { vectors: embeddings, usage };
    },
    wrongKey: () => ai.generateText(ask(ASK, open(server.wrongKey)(modelId))),
    unknownModel: () => ai.generateText(ask(ASK, open()(server.unknownModel ?? 'no-such-model'))),
    async rateLimit() {
      await fault(server, { id: 'F1' });
      return ai.generateText(ask(ASK));
    },
    async rateLimitRetried() {
      await fault(server, { id: 'F1' });
      const { text } = await ai.generateText({ ...ask(ASK), maxRetries: 2 });
      return { text };
    },
    async htmlError() {
      await fault(server, { id: 'F4' });
      return ai.generateText(ask(ASK));
    },
    async cutStream() {
      await fault(server, { id: 'F5.cut', after: 2 });
      return read(ai.streamText({ ...ask(ASK), ...quiet }));
    },
    async splitBytes() {
      await fault(server, { id: 'F6.split' });
      return read(ai.streamText({ ...ask(ASK), ...quiet }));
    },
    async errorInStream() {
      await fault(server, { id: 'F11.error', after: 2 });
      return read(ai.streamText({ ...ask(ASK), ...quiet }));
    },
  };
});
