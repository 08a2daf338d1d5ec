import * as z from 'zod';
import * as q from '../questions.mjs';

export async function clients({ url, key }) {
  const { createOpenAI: openai6 } = await import('ai6-openai');
  const { createOpenAI } = await import('@ai-sdk/openai');
  const { createAnthropic } = await import('@ai-sdk/anthropic');
  const [ai6, ai7] = [await import('ai6'), await import('ai')];
  const options = { baseURL: `${url}/v1`, apiKey: key };
  return {
    'ai 6, openai()': cells(ai6, openai6(options)),
    'ai 7, openai()': cells(ai7, createOpenAI(options)),
    'ai 7, anthropic()': cells(ai7, createAnthropic(options)),
  };
}

function cells(ai, provider) {
  const { generateText, streamText, tool, stepCountIs, isStepCount, Output } = ai;
  const model = provider('auto');
  const steps = (count) => (stepCountIs ?? isStepCount)(count);
  const inputSchema = z.object({ city: z.string() });
  const tools = {
    get_weather: tool({
      description: 'The weather in a city.',
      inputSchema,
      execute: async ({ city }) => `${city}: 21 degrees`,
    }),
    get_time: tool({
      description: 'The time in a city.',
      inputSchema,
      execute: async ({ city }) => `${city}: noon`,
    }),
  };
  const ask = (prompt, more) => ({ model, prompt, maxRetries: 0, ...more });
  return {
    async plain() {
      q.same((await generateText(ask(q.ASK))).text, q.SAID);
    },
    async stream() {
      let text = '';
      for await (const piece of streamText(ask(q.ASK)).textStream) text += piece;
      q.same(text, q.SAID);
    },
    async tools() {
      const { text } = await generateText(ask(q.WEATHER_ASK, { tools, stopWhen: steps(3) }));
      q.holds(text, '21 degrees');
    },
    async 'parallel tools'() {
      const run = streamText(ask(q.BOTH_ASK, { tools }));
      for await (const _ of run.textStream);
      q.same(
        (await run.toolCalls).map(({ toolName }) => toolName),
        ['get_weather', 'get_time'],
      );
    },
    async 'JSON schema'() {
      const run = await generateText(
        ask(q.CITY_ASK, { output: Output.object({ schema: q.City }) }),
      );
      q.same(q.City.safeParse(run.output).success, true);
    },
    async image() {
      const content = [
        { type: 'text', text: q.PICTURE_ASK },
        { type: 'image', image: Buffer.from(q.PNG, 'base64'), mediaType: 'image/png' },
      ];
      const messages = [{ role: 'user', content }];
      q.holds((await generateText({ model, messages, maxRetries: 0 })).text, '2');
    },
    abort: () =>
      q.abandon((abortSignal) => streamText(ask(q.LONG_ASK, { abortSignal })).textStream),
    errors: () =>
      q.throws(() => generateText(ask('x', { model: provider('no-such-model') })), {
        statusCode: 404,
      }),
  };
}
