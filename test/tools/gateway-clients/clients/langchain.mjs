import { ChatAnthropic } from '@langchain/anthropic';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import * as q from '../questions.mjs';

export async function clients({ url, key }) {
  const openai = (more) =>
    new ChatOpenAI({
      model: 'auto',
      apiKey: key,
      maxRetries: 0,
      configuration: { baseURL: `${url}/v1` },
      ...more,
    });
  const anthropic = (more) =>
    new ChatAnthropic({ model: 'auto', apiKey: key, maxRetries: 0, anthropicApiUrl: url, ...more });
  return {
    'LangChain (chat)': cells((more) => openai(more)),
    'LangChain (useResponsesApi)': cells((more) => openai({ useResponsesApi: true, ...more })),
    'LangChain (Anthropic)': cells(anthropic),
  };
}

function cells(make) {
  const weather = tool(({ city }) => `${city}: 21 degrees`, {
    name: 'get_weather',
    description: 'The weather in a city.',
    schema: q.Place,
  });
  const time = tool(({ city }) => `${city}: noon`, {
    name: 'get_time',
    description: 'The time in a city.',
    schema: q.Place,
  });
  const model = make();
  const user = (content) => [{ role: 'user', content }];
  return {
    async plain() {
      q.same((await model.invoke(q.ASK)).text, q.SAID);
    },
    async stream() {
      let text = '';
      for await (const chunk of await model.stream(q.ASK)) text += chunk.text;
      q.same(text, q.SAID);
    },
    async tools() {
      const bound = model.bindTools([weather]);
      const first = await bound.invoke(user(q.WEATHER_ASK));
      const result = await weather.invoke(first.tool_calls[0]);
      const last = await bound.invoke([...user(q.WEATHER_ASK), first, result]);
      q.holds(last.text, '21 degrees');
    },
    async 'parallel tools'() {
      const { tool_calls: calls } = await model.bindTools([weather, time]).invoke(q.BOTH_ASK);
      q.same(
        calls.map(({ name }) => name),
        ['get_weather', 'get_time'],
      );
    },
    async 'JSON schema'() {
      const city = await model.withStructuredOutput(q.City, { name: 'city' }).invoke(q.CITY_ASK);
      q.same(q.City.safeParse(city).success, true);
    },
    async image() {
      const content = [
        { type: 'text', text: q.PICTURE_ASK },
        { type: 'image_url', image_url: { url: q.PNG_URL } },
      ];
      q.holds((await model.invoke(user(content))).text, '2');
    },
    abort: () => q.abandon((signal) => model.stream(q.LONG_ASK, { signal })),
    errors: () => q.throws(() => make({ model: 'no-such-model' }).invoke('x'), { status: 404 }),
  };
}
