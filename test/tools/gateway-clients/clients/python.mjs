// Requests as aider and LiteLLM send them with OpenAI's library for Python, which is not run here.
import * as q from '../questions.mjs';

const PYTHON = {
  accept: 'application/json',
  'accept-encoding': 'gzip, deflate',
  'content-type': 'application/json',
  'x-stainless-lang': 'python',
  'x-stainless-package-version': '2.8.1',
  'x-stainless-os': 'Linux',
  'x-stainless-arch': 'x64',
  'x-stainless-runtime': 'CPython',
  'x-stainless-runtime-version': '3.12.3',
  'x-stainless-async': 'false',
  'x-stainless-retry-count': '0',
  'x-stainless-raw-response': 'true',
  'x-stainless-read-timeout': '600.0',
};

export async function clients({ url, key }) {
  const sender = (agent) => (body, signal) =>
    fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { ...PYTHON, 'user-agent': agent, authorization: `Bearer ${key}` },
      body: JSON.stringify(body),
      signal: signal ?? null,
    });
  return {
    'aider (replayed)': aider(sender('OpenAI/Python 2.8.1')),
    'LiteLLM (replayed)': liteLlm(sender('AsyncOpenAI/Python 2.8.1')),
  };
}

async function* events(response) {
  let rest = '';
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop();
    for (const line of lines) if (line.startsWith('data: ')) yield line.slice(6);
  }
}

async function textOf(response) {
  let text = '';
  let last = '';
  for await (const data of events(response)) {
    last = data;
    if (data !== '[DONE]') text += JSON.parse(data).choices[0]?.delta?.content ?? '';
  }
  q.same(last, '[DONE]');
  return text;
}

function aider(send) {
  const ask = (content, more) => ({
    model: 'auto',
    messages: [
      { role: 'system', content: 'Act as an expert software developer.' },
      { role: 'user', content: 'I switched to a new code base.' },
      { role: 'assistant', content: 'Ok.' },
      { role: 'user', content },
    ],
    temperature: 0,
    ...more,
  });
  return {
    async plain() {
      const { choices } = await (await send(ask(q.ASK, { stream: false }))).json();
      q.same(choices[0].message.content, q.SAID);
    },
    async stream() {
      q.same(await textOf(await send(ask(q.ASK, { stream: true }))), q.SAID);
    },
    async image() {
      const content = [
        { type: 'text', text: q.PICTURE_ASK },
        { type: 'image_url', image_url: { url: q.PNG_URL, detail: 'high' } },
      ];
      const { choices } = await (await send(ask(content))).json();
      q.holds(choices[0].message.content, '2');
    },
    abort: () =>
      q.abandon(async (signal) => events(await send(ask(q.LONG_ASK, { stream: true }), signal))),
    async errors() {
      const response = await send(ask('x', { model: 'no-such-model' }));
      q.same([response.status, (await response.json()).error.code], [404, 'model_not_found']);
    },
  };
}

function liteLlm(send) {
  const ask = (content, more) => ({
    messages: [{ role: 'user', content }],
    model: 'gpt-4o-mini',
    extra_body: {},
    stream_options: { include_usage: true },
    stream: true,
    ...more,
  });
  const tools = [q.weather, q.time].map((each) => ({ type: 'function', function: each }));
  const whole = { stream: false, stream_options: null };
  return {
    async plain() {
      const { choices, usage } = await (await send(ask(q.ASK, whole))).json();
      q.same([choices[0].message.content, usage.total_tokens > 0], [q.SAID, true]);
    },
    async stream() {
      q.same(await textOf(await send(ask(q.ASK))), q.SAID);
    },
    async tools() {
      const { choices } = await (await send(ask(q.WEATHER_ASK, { ...whole, tools }))).json();
      q.same(choices[0].finish_reason, 'tool_calls');
    },
    async 'parallel tools'() {
      const names = [];
      for await (const data of events(await send(ask(q.BOTH_ASK, { tools })))) {
        if (data === '[DONE]') break;
        for (const call of JSON.parse(data).choices[0]?.delta?.tool_calls ?? []) {
          if (call.function.name) names.push(call.function.name);
        }
      }
      q.same(names, ['get_weather', 'get_time']);
    },
    async 'JSON schema'() {
      const schema = {
        type: 'object',
        properties: { name: { type: 'string' }, people: { type: 'integer' } },
        required: ['name', 'people'],
        additionalProperties: false,
      };
      const format = { type: 'json_schema', json_schema: { name: 'city', strict: true, schema } };
      const { choices } = await (
        await send(ask(q.CITY_ASK, { ...whole, response_format: format }))
      ).json();
      q.same(q.City.safeParse(JSON.parse(choices[0].message.content)).success, true);
    },
    abort: () => q.abandon(async (signal) => events(await send(ask(q.LONG_ASK), signal))),
    async errors() {
      const response = await send(ask('x', { ...whole, model: 'no-such-model' }));
      q.same([response.status, (await response.json()).error.code], [404, 'model_not_found']);
    },
  };
}
