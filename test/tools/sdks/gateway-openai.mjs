// The `openai` package, whichever it is asked for, as a client of the gateway.
import * as z from 'zod';
import {
  ASK,
  BOTH_ASK,
  CITY_ASK,
  PNG,
  WEATHER_ASK,
  drive,
  fault,
  time,
  weather,
} from './drive.mjs';
import {
  LONG_ASK,
  STORY_ASK,
  apart,
  failureOf,
  kimiDies,
  lastRequest,
  oursOf,
  sawLeaving,
  tooLong,
} from './gateway-drive.mjs';

await drive(async (server, { sdk }) => {
  const { default: OpenAI } = await import(sdk);
  const { zodResponseFormat } = await import(`${sdk}/helpers/zod`);
  const { baseURL, key } = server;
  const open = (options) => new OpenAI({ baseURL, apiKey: key, maxRetries: 0, ...options });
  const client = open();
  const say = (content, model = 'auto') => ({ model, messages: [{ role: 'user', content }] });
  const streamed = { stream: true, stream_options: { include_usage: true } };
  const create = (body, options) => client.chat.completions.create(body, options);

  const functionTool = ({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description, parameters },
  });
  const runnable = ({ run, ...tool }) => ({
    type: 'function',
    function: { ...functionTool(tool).function, parse: JSON.parse, function: run },
  });
  const toolsOf = { tools: [functionTool(weather)] };

  async function read(stream, told = { text: '', calls: '', reasoning: '' }) {
    const texts = [];
    let finish = null;
    let usage = null;
    let ours = null;
    let ids = new Set();
    for await (const chunk of stream) {
      ids.add(chunk.id);
      const [choice] = chunk.choices;
      texts.push(choice?.delta?.content ?? '');
      told.text += choice?.delta?.content ?? '';
      told.reasoning += choice?.delta?.reasoning_content ?? '';
      told.calls += choice?.delta?.tool_calls?.[0]?.function?.arguments ?? '';
      if (choice?.finish_reason) ours = chunk.exai ?? null;
      finish = choice?.finish_reason ?? finish;
      usage = chunk.usage ?? usage;
    }
    const pieces = texts.filter(Boolean).length;
    return { text: texts.join(''), pieces, finish, usage, exai: ours, ids: ids.size };
  }

  async function roundTrip(runner) {
    const text = await runner.finalContent();
    const { usage } = await runner.finalChatCompletion();
    const calls = runner.messages
      .flatMap(({ tool_calls: made }) => made ?? [])
      .map(({ function: { name, arguments: given } }) => ({ name, arguments: JSON.parse(given) }));
    return { text, calls, usage };
  }

  /** A stream that breaks: what came of it, and what was thrown. */
  async function broken(body, plan, options) {
    await fault(server, { vendor: 'kimi', ...plan });
    const told = { text: '', calls: '', reasoning: '' };
    const threw = await failureOf(async () =>
      read(await create({ ...body, ...streamed }, options), told),
    );
    return { told, threw };
  }

  const well = (content, model) => create(say(content, model));

  return apart(server, well, {
    async models() {
      const found = [];
      for await (const { id, object, created, owned_by: owner } of client.models.list())
        found.push({ id, object, created, owner });
      return found;
    },
    async chat() {
      const { data, response } = await create(say(ASK)).withResponse();
      const [{ message, finish_reason: finish }] = data.choices;
      const { object, model, usage, exai } = data;
      return {
        object,
        model,
        text: message.content,
        role: message.role,
        finish,
        usage,
        exai,
        headers: oursOf(response.headers),
      };
    },
    async stream() {
      // What comes in one read is told as one piece.
      await fault(server, { vendor: 'glm', id: 'slow', with: { chunkMs: 20 } });
      const { data, response } = await create({ ...say(ASK), ...streamed }).withResponse();
      const type = response.headers.get('content-type');
      return { ...(await read(data)), type, headers: oursOf(response.headers) };
    },
    streamWithoutUsage: async () => read(await create({ ...say(ASK), stream: true })),
    async streamHelper() {
      const helper = client.chat.completions.stream({ ...say(ASK), ...streamed });
      const { choices, usage } = await helper.finalChatCompletion();
      return { text: choices[0].message.content, finish: choices[0].finish_reason, usage };
    },
    tools: () =>
      roundTrip(
        client.chat.completions.runTools({ ...say(WEATHER_ASK), tools: [runnable(weather)] }),
      ),
    /** Kimi thinks before it calls, and wants its thoughts back; the SDK's own loop hands back only the members it knows. */
    toolsUnthinking: () =>
      roundTrip(
        client.chat.completions.runTools({
          ...say(WEATHER_ASK, 'kimi-k2.6'),
          tools: [runnable(weather)],
        }),
      ),
    toolStream: () =>
      roundTrip(
        client.chat.completions.runTools({
          ...say(WEATHER_ASK),
          ...streamed,
          tools: [runnable(weather)],
        }),
      ),
    async parallelTools() {
      const { choices } = await create({
        ...say(BOTH_ASK),
        tools: [functionTool(weather), functionTool(time)],
      });
      const made = choices[0].message.tool_calls;
      const calls = made.map(({ function: { name, arguments: given } }) => ({
        name,
        arguments: JSON.parse(given),
      }));
      return {
        finish: choices[0].finish_reason,
        calls,
        ids: new Set(made.map(({ id }) => id)).size,
      };
    },
    async toolChoice() {
      const none = await create({ ...say(WEATHER_ASK), ...toolsOf, tool_choice: 'none' });
      const named = { type: 'function', function: { name: 'get_weather' } };
      const forced = await create({ ...say('Hello "Oslo"'), ...toolsOf, tool_choice: named });
      return {
        none: none.choices[0].finish_reason,
        forced: forced.choices[0].message.tool_calls?.[0].function.name ?? null,
      };
    },
    /** As libraries of 2023 still ask. */
    async functions() {
      const { name, description, parameters } = weather;
      const asked = {
        ...say(WEATHER_ASK),
        functions: [{ name, description, parameters }],
        function_call: 'auto',
        max_tokens: 500,
      };
      const first = await create(asked);
      const [{ message, finish_reason: finish }] = first.choices;
      const result = {
        role: 'function',
        name,
        content: JSON.stringify(weather.run({ city: 'Paris' })),
      };
      const second = await create({ ...asked, messages: [...asked.messages, message, result] });
      return { call: message.function_call, finish, text: second.choices[0].message.content };
    },
    async structured() {
      const City = z.object({ name: z.string(), people: z.number().int() });
      const { choices } = await client.chat.completions.parse({
        ...say(CITY_ASK),
        response_format: zodResponseFormat(City, 'city'),
      });
      return choices[0].message.parsed;
    },
    async jsonMode() {
      const { choices } = await create({
        ...say(`${CITY_ASK} Answer in JSON.`),
        response_format: { type: 'json_object' },
      });
      return { isObject: typeof JSON.parse(choices[0].message.content) === 'object' };
    },
    async image() {
      const picture = { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } };
      const { choices } = await create(say([{ type: 'text', text: 'What is this?' }, picture]));
      return { text: choices[0].message.content };
    },
    async twoChoices() {
      const { choices, usage } = await create({ ...say(ASK), n: 2 });
      const texts = choices.map(({ index, message }) => [index, message.content]);
      const streams = await create({ ...say(ASK), ...streamed, n: 2 });
      const told = ['', ''];
      const finishes = [];
      for await (const { choices: some } of streams) {
        for (const { index, delta, finish_reason: finish } of some) {
          told[index] += delta.content ?? '';
          if (finish) finishes[index] = finish;
        }
      }
      return { texts, usage, told, finishes };
    },
    async stop() {
      const asked = { ...say('Say exactly: one two three four'), stop: ['three', 'four'] };
      const { choices } = await create(asked);
      const told = await read(await create({ ...asked, ...streamed }));
      return {
        text: choices[0].message.content,
        finish: choices[0].finish_reason,
        told: told.text,
      };
    },
    async maxTokens() {
      const { choices, usage } = await create({ ...say(LONG_ASK), max_completion_tokens: 20 });
      return { finish: choices[0].finish_reason, usage };
    },
    async reasoning() {
      const asked = {
        ...say('Say exactly: done [[think 12]]', 'kimi-k2.6'),
        reasoning_effort: 'high',
      };
      const { choices, usage } = await create(asked);
      const told = { text: '', calls: '', reasoning: '' };
      await read(await create({ ...asked, ...streamed }), told);
      const { content, reasoning_content: thoughts } = choices[0].message;
      return { content, thoughts, usage, told };
    },
    async thoughtsCut() {
      await fault(server, { vendor: 'kimi', id: 'F5.cut', after: 6 });
      const told = { text: '', calls: '', reasoning: '' };
      const asked = say('Say exactly: done [[think 12]]', 'kimi-k2.6');
      await read(await create({ ...asked, reasoning_effort: 'high', ...streamed }), told);
      return told;
    },
    async embeddings() {
      const input = [
        'a cat sat on the mat',
        'the cat sat on a mat',
        'quarterly revenue of the bank',
      ];
      // The SDK asks for base64 unless told, and gives numbers all the same.
      const { data, model, usage } = await client.embeddings.create({
        model: 'embedding-3',
        input,
      });
      const floats = await client.embeddings.create({
        model: 'embedding-3',
        input: input[0],
        encoding_format: 'float',
      });
      const off = data[0].embedding.map((value, at) =>
        Math.abs(value - floats.data[0].embedding[at]),
      );
      return {
        model,
        usage,
        vectors: data.map(({ embedding }) => [...embedding]),
        farthest: Math.max(...off),
      };
    },
    unknownModel: () => failureOf(() => create(say(ASK, 'no-such-model'))),
    unknownModelStreamed: () =>
      failureOf(() => create({ ...say(ASK, 'no-such-model'), ...streamed })),
    wrongKey: () =>
      failureOf(() => open({ apiKey: 'sk-unknown' }).chat.completions.create(say(ASK))),
    tooLong: () =>
      failureOf(() =>
        create(say(tooLong(), 'glm-4.7-flash'), { headers: { 'x-exai-fallback': 'none' } }),
      ),
    async failedAlone() {
      await fault(server, { vendor: 'kimi', id: 'F3', times: 0 });
      const headers = { 'x-exai-fallback': 'none' };
      return failureOf(() => create({ ...say(ASK, 'kimi-k2.6'), ...streamed }, { headers }));
    },
    async anotherAnswers() {
      await fault(server, { vendor: 'kimi', id: 'F4', times: 2 });
      const { data, response } = await create({
        ...say(ASK, 'kimi-k2.6'),
        ...streamed,
      }).withResponse();
      return { ...(await read(data)), headers: oursOf(response.headers) };
    },
    /** The first word comes after the head had to be sent. */
    async late() {
      await fault(server, { vendor: 'kimi', id: 'slow', with: { firstMs: 800 } });
      return read(await create({ ...say(ASK, 'kimi-k2.6'), ...streamed }));
    },
    lateFailure: () =>
      broken(
        say(ASK, 'kimi-k2.6'),
        { id: 'F5.headers', times: 0 },
        { headers: { 'x-exai-fallback': 'none' } },
      ),
    async abort() {
      await fault(server, { vendor: 'kimi', id: 'slow', with: { chunkMs: 60 } });
      const stream = await create({ ...say(LONG_ASK, 'kimi-k2.6'), ...streamed });
      let pieces = 0;
      for await (const { choices } of stream) {
        if (choices[0]?.delta?.content) pieces += 1;
        if (pieces === 3) stream.controller.abort();
      }
      return { pieces, upstream: await sawLeaving(server, 'kimi') };
    },
    async dies() {
      await kimiDies(server);
      const { data, response } = await create({
        ...say(STORY_ASK, 'kimi-k2.6'),
        ...streamed,
      }).withResponse();
      return { ...(await read(data)), headers: oursOf(response.headers) };
    },
    async diesWhole() {
      await kimiDies(server);
      const { choices, exai } = await create(say(STORY_ASK, 'kimi-k2.6'));
      return { text: choices[0].message.content, finish: choices[0].finish_reason, exai };
    },
    diesAlone: () =>
      broken(
        say(STORY_ASK, 'kimi-k2.6'),
        { id: 'F5.cut', after: 9 },
        { headers: { 'x-exai-continue': 'false' } },
      ),
    endsEarly: async () => {
      await fault(server, { vendor: 'kimi', id: 'F5.end', after: 9 });
      return read(await create({ ...say(STORY_ASK, 'kimi-k2.6'), ...streamed }));
    },
    async toolMended() {
      const args = JSON.stringify({
        city: 'Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch',
      });
      const asked = {
        ...say(`Go. [[call get_weather ${args}]]`, 'kimi-k2.6'),
        ...toolsOf,
        reasoning_effort: 'none',
      };
      for (let after = 3; after < 60; after += 3) {
        const { told, threw } = await broken({ ...asked }, { id: 'F5.cut', after });
        if (told.calls !== args) return { told, threw, after };
      }
      return { calls: 'whole' };
    },
    async toolCut() {
      const args = JSON.stringify({
        city: 'Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch',
      });
      const asked = {
        ...say(`Go. [[call get_weather ${args}]]`, 'kimi-k2.6'),
        ...toolsOf,
        reasoning_effort: 'none',
        exai: { stream_tools: true },
      };
      for (let after = 3; after < 60; after += 3) {
        const { told, threw } = await broken({ ...asked }, { id: 'F5.cut', after });
        if (told.calls !== args) return { told, threw, args, after };
      }
      return { told: null };
    },
    async sampling() {
      await create({
        ...say(ASK, 'glm-4.7-flash'),
        temperature: 0.3,
        top_p: 0.8,
        user: 'somebody',
      });
      const { body } = await lastRequest(server, 'glm');
      return { temperature: body.temperature, topP: body.top_p };
    },
  });
});
