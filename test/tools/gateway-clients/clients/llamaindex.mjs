import { OpenAI, OpenAIResponses } from '@llamaindex/openai';
import * as q from '../questions.mjs';

export async function clients({ url, key }) {
  const options = { apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 };
  return {
    'LlamaIndex (chat)': cells((model) => new OpenAI({ ...options, model })),
    'LlamaIndex (responses)': withoutSchema(
      cells((model) => new OpenAIResponses({ ...options, model })),
    ),
  };
}

/** Its Responses client does not send the format that it is given. */
function withoutSchema(all) {
  return Object.fromEntries(Object.entries(all).filter(([cell]) => cell !== 'JSON schema'));
}

function cells(make) {
  const llm = make('gpt-4o');
  const user = (content) => [{ role: 'user', content }];
  return {
    async plain() {
      q.same(textOf((await llm.chat({ messages: user(q.ASK) })).message.content), q.SAID);
    },
    async stream() {
      let text = '';
      for await (const { delta } of await llm.chat({ messages: user(q.ASK), stream: true })) {
        text += delta ?? '';
      }
      // With the Responses API it tells its last piece again at the events that end an item.
      q.holds(text, q.SAID);
    },
    async tools() {
      const tool = { metadata: q.weather, call: ({ city }) => `${city}: 21 degrees` };
      const { message } = await llm.chat({ messages: user(q.WEATHER_ASK), tools: [tool] });
      q.same(message.options.toolCall[0].name, 'get_weather');
    },
    async 'parallel tools'() {
      const tools = [q.weather, q.time].map((metadata) => ({ metadata, call: () => 'x' }));
      const { message } = await llm.chat({ messages: user(q.BOTH_ASK), tools });
      q.same(
        message.options.toolCall.map(({ name }) => name),
        ['get_weather', 'get_time'],
      );
    },
    async 'JSON schema'() {
      const { message } = await llm.chat({ messages: user(q.CITY_ASK), responseFormat: q.City });
      q.same(q.City.safeParse(JSON.parse(textOf(message.content))).success, true);
    },
    async image() {
      const content = [
        { type: 'text', text: q.PICTURE_ASK },
        { type: 'image_url', image_url: { url: q.PNG_URL } },
      ];
      q.holds(textOf((await llm.chat({ messages: user(content) })).message.content), '2');
    },
    abort: () => abandon(() => llm.chat({ messages: user(q.LONG_ASK), stream: true })),
    errors: () =>
      q.throws(() => make('no-such-model').chat({ messages: user('x') }), { status: 404 }),
  };
}

/** It takes no signal; whoever stops reading ends its request. */
async function abandon(open) {
  let read = 0;
  for await (const _ of await open()) if (++read === 3) return;
}

function textOf(content) {
  return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('');
}
