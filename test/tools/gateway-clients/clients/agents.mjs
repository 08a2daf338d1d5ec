import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from '@openai/agents';
import OpenAI from 'openai';
import * as q from '../questions.mjs';

export async function clients({ url, key }) {
  setTracingDisabled(true);
  const openAIClient = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
  const runner = new Runner({
    modelProvider: new OpenAIProvider({ openAIClient, useResponses: true }),
    tracingDisabled: true,
  });
  const model = 'auto';
  const plain = new Agent({ name: 'Plain', instructions: 'Be short.', model });
  const weather = tool({
    name: 'get_weather',
    description: 'The weather in a city.',
    parameters: q.Place,
    execute: async ({ city }) => `${city}: 21 degrees`,
  });
  const time = tool({
    name: 'get_time',
    description: 'The time in a city.',
    parameters: q.Place,
    execute: async ({ city }) => `${city}: noon`,
  });
  const withTools = new Agent({ name: 'Tools', model, tools: [weather, time] });
  return {
    '@openai/agents': {
      async plain() {
        q.same((await runner.run(plain, q.ASK)).finalOutput, q.SAID);
      },
      async stream() {
        const run = await runner.run(plain, q.ASK, { stream: true });
        let text = '';
        for await (const piece of run.toTextStream()) text += piece;
        await run.completed;
        q.same([text, run.finalOutput], [q.SAID, q.SAID]);
      },
      async tools() {
        q.holds((await runner.run(withTools, q.WEATHER_ASK)).finalOutput, '21 degrees');
      },
      async 'parallel tools'() {
        const run = await runner.run(withTools, q.BOTH_ASK, { stream: true });
        await run.completed;
        const calls = run.newItems.filter(({ type }) => type === 'tool_call_item');
        q.same(calls.length, 2);
      },
      async handoff() {
        const chef = new Agent({ name: 'Chef', model, handoffDescription: 'Cooks.' });
        const host = new Agent({ name: 'Host', model, handoffs: [chef] });
        const run = await runner.run(host, 'Go. [[call transfer_to_Chef {}]]');
        q.same(run.lastAgent.name, 'Chef');
      },
      async 'JSON schema'() {
        const typed = new Agent({ name: 'Typed', model, outputType: q.City });
        const { finalOutput } = await runner.run(typed, q.CITY_ASK);
        q.same(q.City.safeParse(finalOutput).success, true);
      },
      async image() {
        const content = [
          { type: 'input_text', text: q.PICTURE_ASK },
          { type: 'input_image', image: q.PNG_URL },
        ];
        q.holds((await runner.run(plain, [{ role: 'user', content }])).finalOutput, '2');
      },
      abort: () =>
        q.abandon(async (signal) => {
          const run = await runner.run(plain, q.LONG_ASK, { stream: true, signal });
          return run.toTextStream();
        }),
      errors: () =>
        q.throws(() => runner.run(new Agent({ name: 'No', model: 'no-such-model' }), 'x'), {
          status: 404,
        }),
    },
  };
}
