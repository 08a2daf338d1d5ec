// The `openai` package, whichever it is asked for, as a client.
import * as z from 'zod';
import {
  ASK,
  BOTH_ASK,
  CITY_ASK,
  PNG,
  WEATHER_ASK,
  describe,
  drive,
  fault,
  time,
  weather,
} from './drive.mjs';

await drive(async (server, { sdk }) => {
  const { default: OpenAI, toFile } = await import(sdk);
  const { zodResponseFormat } = await import(`${sdk}/helpers/zod`);
  const { baseURL, key, model, body = {} } = server;
  const open = (options) => new OpenAI({ baseURL, apiKey: key, maxRetries: 0, ...options });
  const client = open();
  const say = (content) => ({ model, messages: [{ role: 'user', content }], ...body });
  const streamed = { stream: true, stream_options: { include_usage: true } };

  const functionTool = ({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description, parameters },
  });
  const runnable = ({ run, ...tool }) => ({
    type: 'function',
    function: { ...functionTool(tool).function, parse: JSON.parse, function: run },
  });

  async function read(stream) {
    const texts = [];
    let finish = null;
    let usage = null;
    for await (const chunk of stream) {
      const [choice] = chunk.choices;
      texts.push(choice?.delta?.content ?? '');
      finish = choice?.finish_reason ?? finish;
      usage = chunk.usage ?? usage;
    }
    return { text: texts.join(''), pieces: texts.filter(Boolean).length, finish, usage };
  }

  async function roundTrip(runner) {
    const text = await runner.finalContent();
    const { usage } = await runner.finalChatCompletion();
    const calls = runner.messages
      .flatMap(({ tool_calls: made }) => made ?? [])
      .map(({ id, function: { name, arguments: given } }) => ({
        id,
        name,
        arguments: JSON.parse(given),
      }));
    return { text, calls, usage };
  }

  return {
    async models() {
      const ids = [];
      for await (const { id } of client.models.list()) ids.push(id);
      return ids;
    },
    async chat() {
      const { choices, usage } = await client.chat.completions.create(say(ASK));
      return { text: choices[0].message.content, finish: choices[0].finish_reason, usage };
    },
    stream: async () => read(await client.chat.completions.create({ ...say(ASK), ...streamed })),
    async streamHelper() {
      const { choices, usage } = await client.chat.completions
        .stream({ ...say(ASK), ...streamed })
        .finalChatCompletion();
      return { text: choices[0].message.content, finish: choices[0].finish_reason, usage };
    },
    tools: () =>
      roundTrip(
        client.chat.completions.runTools({
          ...say(WEATHER_ASK),
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
    /** The message goes back as it came, with what was thought. */
    async toolThoughts() {
      const asked = { ...say(WEATHER_ASK), ...server.thoughts, tools: [functionTool(weather)] };
      const first = await client.chat.completions.create(asked);
      const { message } = first.choices[0];
      const [{ id, function: made }] = message.tool_calls;
      const result = weather.run(JSON.parse(made.arguments));
      const second = await client.chat.completions.create({
        ...asked,
        messages: [
          ...asked.messages,
          message,
          { role: 'tool', tool_call_id: id, content: JSON.stringify(result) },
        ],
      });
      return { text: second.choices[0].message.content, thoughts: message.reasoning_content };
    },
    /** The SDK's own loop sends back only the members it knows. */
    toolThoughtsLost: () =>
      roundTrip(
        client.chat.completions.runTools({
          ...say(WEATHER_ASK),
          ...server.thoughts,
          tools: [runnable(weather)],
        }),
      ),
    async parallelTools() {
      const { choices } = await client.chat.completions.create({
        ...say(BOTH_ASK),
        tools: [functionTool(weather), functionTool(time)],
      });
      const calls = choices[0].message.tool_calls.map(({ id, function: made }) => ({
        id,
        name: made.name,
        arguments: JSON.parse(made.arguments),
      }));
      return { finish: choices[0].finish_reason, calls };
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
      const { choices } = await client.chat.completions.create({
        ...say(`${CITY_ASK} Answer in JSON.`),
        response_format: { type: 'json_object' },
      });
      return JSON.parse(choices[0].message.content);
    },
    async image() {
      const { choices } = await client.chat.completions.create({
        ...say([
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
        ]),
        ...(server.visionModel && { model: server.visionModel }),
      });
      return { text: choices[0].message.content };
    },
    async files() {
      const words = 'The lighthouse of Lindau was built in 1856.\nIts lion looks at the lake.\n';
      const { id, status } = await client.files.create({
        file: await toFile(Buffer.from(words), 'lindau.md'),
        purpose: 'file-extract',
      });
      const content = await (await client.files.content(id)).text();
      const { filename } = await client.files.retrieve(id);
      const listed = [];
      for await (const file of client.files.list()) listed.push(file.id);
      const { choices } = await client.chat.completions.create({
        model,
        messages: [
          { role: 'system', content },
          { role: 'user', content: 'When was the lighthouse built?' },
        ],
        ...body,
      });
      const { deleted } = await client.files.delete(id);
      const gone = await client.files.retrieve(id).then(() => null, describe);
      return {
        status,
        filename,
        content,
        isListed: listed.includes(id),
        text: choices[0].message.content,
        deleted,
        gone,
      };
    },
    async embeddings() {
      const { data, usage } = await client.embeddings.create({
        model: server.embeddingModel,
        input: ['a cat sat on the mat', 'the cat sat on a mat', 'quarterly revenue of the bank'],
        // Without it the SDK asks for base64, which this vendor does not know, and reads numbers as if they were that.
        encoding_format: 'float',
      });
      return { vectors: data.map(({ embedding }) => embedding), usage };
    },
    wrongKey: () => open({ apiKey: server.wrongKey }).chat.completions.create(say(ASK)),
    unknownModel: () =>
      client.chat.completions.create({
        ...say(ASK),
        model: server.unknownModel ?? 'no-such-model',
      }),
    async rateLimit() {
      await fault(server, { id: 'F1' });
      return client.chat.completions.create(say(ASK));
    },
    async rateLimitRetried() {
      await fault(server, { id: 'F1' });
      const { choices } = await open({ maxRetries: 2 }).chat.completions.create(say(ASK));
      return { text: choices[0].message.content };
    },
    async htmlError() {
      await fault(server, { id: 'F4' });
      return client.chat.completions.create(say(ASK));
    },
    async cutStream() {
      await fault(server, { id: 'F5.cut', after: 2 });
      return read(await client.chat.completions.create({ ...say(ASK), ...streamed }));
    },
    async splitBytes() {
      await fault(server, { id: 'F6.split' });
      return read(await client.chat.completions.create({ ...say(ASK), ...streamed }));
    },
    async errorInStream() {
      await fault(server, { id: 'F11.error', after: 2 });
      return read(await client.chat.completions.create({ ...say(ASK), ...streamed }));
    },
  };
});
