import Anthropic from '@anthropic-ai/sdk';
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod';
import * as q from '../questions.mjs';

export async function clients({ url, key }) {
  const client = new Anthropic({ baseURL: url, apiKey: key, maxRetries: 0 });
  const ask = (content, more) => ({
    model: 'claude-sonnet-4-5',
    max_tokens: 4096,
    messages: [{ role: 'user', content }],
    ...more,
  });
  const tool = ({ parameters, ...each }) => ({ ...each, input_schema: parameters });
  const textOf = ({ content }) =>
    content
      .filter(({ type }) => type === 'text')
      .map(({ text }) => text)
      .join('');
  return {
    '@anthropic-ai/sdk': {
      async plain() {
        q.same(textOf(await client.messages.create(ask(q.ASK))), q.SAID);
      },
      async stream() {
        q.same(await client.messages.stream(ask(q.ASK)).finalText(), q.SAID);
      },
      async tools() {
        const runner = client.beta.messages.toolRunner(
          ask(q.WEATHER_ASK, {
            tools: [
              betaZodTool({
                name: 'get_weather',
                description: 'The weather in a city.',
                inputSchema: q.Place,
                run: ({ city }) => `${city}: 21 degrees`,
              }),
            ],
          }),
        );
        q.holds(textOf(await runner), '21 degrees');
        const bash = await client.messages.create(
          ask('Go. [[call bash {"command":"ls"}]]', {
            tools: [{ type: 'bash_20250124', name: 'bash' }],
          }),
        );
        q.same(bash.content.find(({ type }) => type === 'tool_use')?.input, { command: 'ls' });
      },
      async 'parallel tools'() {
        const stream = client.messages.stream(
          ask(q.BOTH_ASK, { tools: [tool(q.weather), tool(q.time)] }),
        );
        const { content } = await stream.finalMessage();
        q.same(content.filter(({ type }) => type === 'tool_use').length, 2);
      },
      async 'JSON schema'() {
        const format = { type: 'json_schema', schema: CITY };
        const answer = await client.messages.create(ask(q.CITY_ASK, { output_config: { format } }));
        q.same(q.City.safeParse(JSON.parse(textOf(answer))).success, true);
      },
      async image() {
        const content = [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: q.PNG } },
          { type: 'text', text: q.PICTURE_ASK },
        ];
        q.holds(textOf(await client.messages.create(ask(content))), '2');
      },
      abort: () =>
        q.abandon((signal) =>
          client.messages.create(ask(q.LONG_ASK, { stream: true }), { signal }),
        ),
      async errors() {
        const model = 'no-such-model';
        await q.throws(() => client.messages.create(ask('x', { model })), { status: 404 });
        const { messages } = ask('x');
        await q.throws(() => client.messages.countTokens({ model, messages }), { status: 404 });
      },
    },
  };
}

const CITY = {
  type: 'object',
  properties: { name: { type: 'string' }, people: { type: 'integer' } },
  required: ['name', 'people'],
  additionalProperties: false,
};
