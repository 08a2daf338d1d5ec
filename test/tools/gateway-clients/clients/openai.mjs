import * as q from '../questions.mjs';

export async function clients({ url, key }) {
  return {
    'openai 6 (responses)': await responses('openai6', { url, key }),
    'openai 7 (responses)': await responses('openai', { url, key }),
    'openai 6 (chat)': await chat('openai6', { url, key }),
    'openai 7 (chat)': await chat('openai', { url, key }),
  };
}

async function responses(sdk, { url, key }) {
  const { default: OpenAI } = await import(sdk);
  const { zodTextFormat } = await import(`${sdk}/helpers/zod`);
  const open = (apiKey = key) => new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
  const client = open();
  const tool = (each) => ({ type: 'function', strict: true, ...each });
  return {
    async plain() {
      const { output_text: text, id } = await client.responses.create({
        model: 'auto',
        input: q.ASK,
      });
      q.same(text, q.SAID);
      const kept = await client.responses.retrieve(id);
      q.same(kept.output_text ?? kept.output[0].content[0].text, q.SAID);
      const next = await client.responses.create({
        model: 'auto',
        previous_response_id: id,
        input: q.ASK,
      });
      q.same(next.previous_response_id, id);
      const { data } = await client.responses.inputItems.list(id);
      q.same(data.length, 1);
      await client.responses.delete(id);
      await q.throws(() => client.responses.retrieve(id), { status: 404 });
    },
    async stream() {
      const stream = client.responses.stream({ model: 'kimi-k2.6', input: q.ASK });
      let text = '';
      let next = 0;
      for await (const event of stream) {
        q.same(event.sequence_number, next++);
        if (event.type === 'response.output_text.delta') text += event.delta;
      }
      const final = await stream.finalResponse();
      q.same([text, final.output_text, final.status], [q.SAID, q.SAID, 'completed']);
    },
    async tools() {
      const tools = [tool(q.weather)];
      const first = await client.responses.create({ model: 'auto', input: q.WEATHER_ASK, tools });
      const call = first.output.find(({ type }) => type === 'function_call');
      q.same(JSON.parse(call.arguments), { city: 'Paris' });
      const output = { type: 'function_call_output', call_id: call.call_id, output: '21 degrees' };
      const second = await client.responses.create({
        model: 'auto',
        previous_response_id: first.id,
        input: [output],
        tools,
      });
      q.holds(second.output_text, '21 degrees');
      const stateless = await client.responses.create({
        model: 'auto',
        store: false,
        include: ['reasoning.encrypted_content'],
        input: [{ role: 'user', content: q.WEATHER_ASK }, ...first.output, output],
        tools,
      });
      q.holds(stateless.output_text, '21 degrees');
    },
    async 'parallel tools'() {
      const stream = client.responses.stream({
        model: 'kimi-k2.6',
        input: q.BOTH_ASK,
        tools: [tool(q.weather), tool(q.time)],
      });
      let pieces = '';
      for await (const event of stream) {
        if (event.type === 'response.function_call_arguments.delta') pieces += event.delta;
      }
      const calls = (await stream.finalResponse()).output.filter(
        ({ type }) => type === 'function_call',
      );
      q.same(
        calls.map(({ name }) => name),
        ['get_weather', 'get_time'],
      );
      q.same(calls.map((call) => call.arguments).join(''), pieces);
    },
    async 'JSON schema'() {
      const { output_parsed: city } = await client.responses.parse({
        model: 'auto',
        input: q.CITY_ASK,
        text: { format: zodTextFormat(q.City, 'city') },
      });
      q.same(q.City.safeParse(city).success, true);
    },
    async image() {
      const content = [
        { type: 'input_text', text: q.PICTURE_ASK },
        { type: 'input_image', image_url: q.PNG_URL, detail: 'auto' },
      ];
      const { output_text: text } = await client.responses.create({
        model: 'auto',
        input: [{ role: 'user', content }],
      });
      q.holds(text, '2');
    },
    abort: () =>
      q.abandon((signal) =>
        client.responses.create({ model: 'auto', input: q.LONG_ASK, stream: true }, { signal }),
      ),
    async errors() {
      const ask = (more) => client.responses.create({ model: 'auto', input: q.ASK, ...more });
      await q.throws(() => ask({ model: 'no-such-model' }), {
        status: 404,
        code: 'model_not_found',
      });
      await q.throws(() => ask({ previous_response_id: `resp_${'0'.repeat(22)}` }), {
        status: 400,
        code: 'previous_response_not_found',
      });
      await q.throws(() => ask({ background: true }), { status: 400, param: 'background' });
      const other = open('wrong-key-0123456789');
      await q.throws(() => other.responses.create({ model: 'auto', input: 'x' }), { status: 401 });
    },
  };
}

async function chat(sdk, { url, key }) {
  const { default: OpenAI } = await import(sdk);
  const { zodResponseFormat } = await import(`${sdk}/helpers/zod`);
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
  const ask = (content, more) => ({
    model: 'auto',
    messages: [{ role: 'user', content }],
    ...more,
  });
  const create = (content, more, options) =>
    client.chat.completions.create(ask(content, more), options);
  const tool = (each) => ({ type: 'function', function: each });
  return {
    async plain() {
      const { data, response } = await client.chat.completions
        .create(ask(q.ASK, { model: 'gpt-4o' }))
        .withResponse();
      q.same(data.choices[0].message.content, q.SAID);
      q.same(response.headers.get('x-exai-alias'), 'gpt-4o=auto');
      const old = await client.completions.create({ model: 'auto', prompt: q.ASK });
      q.same(old.choices[0].text, q.SAID);
    },
    async stream() {
      let text = '';
      for await (const { choices } of await create(q.ASK, { stream: true })) {
        text += choices[0]?.delta?.content ?? '';
      }
      q.same(text, q.SAID);
    },
    async tools() {
      const { choices } = await create(q.WEATHER_ASK, { tools: [tool(q.weather)] });
      q.same(JSON.parse(choices[0].message.tool_calls[0].function.arguments), { city: 'Paris' });
    },
    async 'parallel tools'() {
      const helper = client.chat.completions.stream(
        ask(q.BOTH_ASK, { tools: [tool(q.weather), tool(q.time)] }),
      );
      const { choices } = await helper.finalChatCompletion();
      q.same(choices[0].message.tool_calls.length, 2);
    },
    async 'JSON schema'() {
      const format = zodResponseFormat(q.City, 'city');
      const parsed = await client.chat.completions.parse(
        ask(q.CITY_ASK, { response_format: format }),
      );
      q.same(q.City.safeParse(parsed.choices[0].message.parsed).success, true);
    },
    async image() {
      const content = [
        { type: 'text', text: q.PICTURE_ASK },
        { type: 'image_url', image_url: { url: q.PNG_URL } },
      ];
      q.holds((await create(content)).choices[0].message.content, '2');
    },
    abort: () => q.abandon((signal) => create(q.LONG_ASK, { stream: true }, { signal })),
    errors: () =>
      q.throws(() => create('x', { model: 'no-such-model' }), {
        status: 404,
        code: 'model_not_found',
      }),
  };
}
