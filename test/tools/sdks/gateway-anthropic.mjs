// The `@anthropic-ai/sdk` package as a client of the gateway.
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
  oursOf,
  sawLeaving,
  tooLong,
} from './gateway-drive.mjs';

await drive(async (server, { sdk }) => {
  const { default: Anthropic } = await import(sdk);
  const { baseURL, key } = server;
  const open = (options) => new Anthropic({ baseURL, apiKey: key, maxRetries: 0, ...options });
  const client = open();
  const say = (content, model = 'auto') => ({
    model,
    max_tokens: 2_000,
    messages: [{ role: 'user', content }],
  });
  const toolOf = ({ name, description, parameters }) => ({
    name,
    description,
    input_schema: parameters,
  });
  const textOf = ({ content }) =>
    content
      .filter(({ type }) => type === 'text')
      .map(({ text }) => text)
      .join('');

  /** The events as they come, as a program without the helper reads them. */
  async function read(stream, told = { text: '', calls: '', thoughts: '' }) {
    const types = [];
    const blocks = [];
    let pieces = 0;
    let end = null;
    let start = null;
    for await (const event of stream) {
      if (types.at(-1) !== event.type) types.push(event.type);
      if (event.type === 'message_start') start = event.message;
      if (event.type === 'message_delta') end = event;
      if (event.type === 'content_block_start') blocks.push(event.content_block.type);
      if (event.type !== 'content_block_delta') continue;
      if (event.delta.type === 'text_delta') {
        told.text += event.delta.text;
        pieces += 1;
      }
      if (event.delta.type === 'input_json_delta') told.calls += event.delta.partial_json;
      if (event.delta.type === 'thinking_delta') told.thoughts += event.delta.thinking;
    }
    return { ...told, pieces, types, blocks, start, end };
  }

  async function roundTrip(first, again) {
    const call = first.content.find(({ type }) => type === 'tool_use');
    const result = {
      type: 'tool_result',
      tool_use_id: call.id,
      content: JSON.stringify(weather.run(call.input)),
    };
    const second = await again([
      { role: 'user', content: WEATHER_ASK },
      { role: 'assistant', content: first.content },
      { role: 'user', content: [result] },
    ]);
    return {
      call: { name: call.name, input: call.input },
      stop: first.stop_reason,
      text: textOf(second),
      stopAfter: second.stop_reason,
    };
  }

  async function broken(body, plan, options) {
    await fault(server, { vendor: 'kimi', ...plan });
    const told = { text: '', calls: '', thoughts: '' };
    const threw = await failureOf(async () =>
      read(await client.messages.create({ ...body, stream: true }, options), told),
    );
    return { told, threw };
  }

  const well = (content, model) => client.messages.create(say(content, model));

  return apart(server, well, {
    async models() {
      const found = [];
      for await (const { id, type, display_name: title } of client.models.list())
        found.push({ id, type, title });
      return found;
    },
    async chat() {
      const { data, response } = await client.messages.create(say(ASK)).withResponse();
      const { type, role, model, stop_reason: stop, usage, exai } = data;
      return {
        type,
        role,
        model,
        text: textOf(data),
        stop,
        usage,
        exai,
        headers: oursOf(response.headers),
      };
    },
    async stream() {
      // What comes in one read is told as one piece.
      await fault(server, { vendor: 'glm', id: 'slow', with: { chunkMs: 20 } });
      const { data, response } = await client.messages
        .create({ ...say(ASK), stream: true })
        .withResponse();
      return { ...(await read(data)), headers: oursOf(response.headers) };
    },
    async streamHelper() {
      const helper = client.messages.stream(say(ASK));
      const { stop_reason: stop, usage } = await helper.finalMessage();
      return { text: await helper.finalText(), stop, usage };
    },
    async system() {
      const system = [
        { type: 'text', text: 'The harbour master of Skagen is Aurelia Winterbottom.' },
        { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } },
      ];
      const message = await client.messages.create({
        ...say('Who is the harbour master of Skagen?'),
        system,
      });
      return { text: textOf(message) };
    },
    async tools() {
      const tools = [toolOf(weather)];
      const first = await client.messages.create({ ...say(WEATHER_ASK), tools });
      return roundTrip(first, (messages) =>
        client.messages.create({ ...say(WEATHER_ASK), messages, tools }),
      );
    },
    /** Kimi thinks before it calls, and wants its thoughts back; this client was shown none. */
    async toolsUnthinking() {
      const tools = [toolOf(weather)];
      const asked = { ...say(WEATHER_ASK, 'kimi-k2.6'), tools };
      const first = await client.messages.create(asked);
      return roundTrip(first, (messages) => client.messages.create({ ...asked, messages }));
    },
    async toolStream() {
      const tools = [toolOf(weather)];
      const first = await client.messages.stream({ ...say(WEATHER_ASK), tools }).finalMessage();
      return roundTrip(first, (messages) =>
        client.messages.stream({ ...say(WEATHER_ASK), messages, tools }).finalMessage(),
      );
    },
    async parallelTools() {
      const tools = [toolOf(weather), toolOf(time)];
      const { content } = await client.messages.stream({ ...say(BOTH_ASK), tools }).finalMessage();
      const made = content.filter(({ type }) => type === 'tool_use');
      return {
        calls: made.map(({ name, input }) => ({ name, input })),
        ids: new Set(made.map(({ id }) => id)).size,
      };
    },
    async toolChoice() {
      const tools = [toolOf(weather)];
      const none = { ...say(WEATHER_ASK), tools, tool_choice: { type: 'none' } };
      const any = {
        ...say('Hello "Oslo"'),
        tools,
        tool_choice: { type: 'tool', name: 'get_weather' },
      };
      const [first, second] = [
        await client.messages.create(none),
        await client.messages.create(any),
      ];
      return { none: first.stop_reason, forced: second.stop_reason };
    },
    async structured() {
      const schema = {
        type: 'object',
        properties: { name: { type: 'string' }, people: { type: 'integer' } },
        required: ['name', 'people'],
        additionalProperties: false,
      };
      const message = await client.messages.create({
        ...say(CITY_ASK),
        output_config: { format: { type: 'json_schema', schema } },
      });
      return JSON.parse(textOf(message));
    },
    async image() {
      const source = { type: 'base64', media_type: 'image/png', data: PNG };
      const content = [
        { type: 'image', source },
        { type: 'text', text: 'What is this?' },
      ];
      return { text: textOf(await client.messages.create(say(content))) };
    },
    async stop() {
      const asked = { ...say('Say exactly: one two three four'), stop_sequences: ['three'] };
      const message = await client.messages.create(asked);
      const { stop_reason: reason, stop_sequence: sequence } = message;
      return { text: textOf(message), reason, sequence };
    },
    async maxTokens() {
      const message = await client.messages.create({ ...say(LONG_ASK), max_tokens: 20 });
      return { stop: message.stop_reason };
    },
    async thinking() {
      const asked = {
        ...say('Say exactly: done [[think 12]]', 'kimi-k2.6'),
        thinking: { type: 'enabled', budget_tokens: 1_024 },
      };
      const message = await client.messages.create(asked);
      const blocks = message.content.map(({ type, thinking, text }) => [type, thinking ?? text]);
      const told = await read(await client.messages.create({ ...asked, stream: true }));
      // Handed back as it came, as the SDK's own loops do.
      const again = await client.messages.create({
        ...asked,
        messages: [
          ...asked.messages,
          { role: 'assistant', content: message.content },
          { role: 'user', content: 'Say exactly: again' },
        ],
      });
      return { blocks, told, again: textOf(again) };
    },
    async countTokens() {
      const { max_tokens: _, ...asked } = say(STORY_ASK, 'kimi-k2.6');
      const short = await client.messages.countTokens(asked);
      const long = await client.messages.countTokens({
        ...asked,
        tools: [toolOf(weather)],
        system: STORY_ASK,
      });
      return { short: short.input_tokens, long: long.input_tokens };
    },
    unknownModel: () => failureOf(() => client.messages.create(say(ASK, 'no-such-model'))),
    unknownModelStreamed: () =>
      failureOf(() => client.messages.create({ ...say(ASK, 'no-such-model'), stream: true })),
    wrongKey: () => failureOf(() => open({ apiKey: 'sk-unknown' }).messages.create(say(ASK))),
    async bearer() {
      const { messages } = open({ apiKey: null, authToken: key });
      return { text: textOf(await messages.create(say(ASK))) };
    },
    tooLong: () =>
      failureOf(() =>
        client.messages.create(say(tooLong(), 'glm-4.7-flash'), {
          headers: { 'x-exai-fallback': 'none' },
        }),
      ),
    noLimit: () => failureOf(() => client.messages.create({ ...say(ASK), max_tokens: undefined })),
    async failedAlone() {
      await fault(server, { vendor: 'kimi', id: 'F3', times: 3 });
      const headers = { 'x-exai-fallback': 'none' };
      return failureOf(() =>
        client.messages.create({ ...say(ASK, 'kimi-k2.6'), stream: true }, { headers }),
      );
    },
    /** The first word comes after the head had to be sent. */
    async late() {
      await fault(server, { vendor: 'kimi', id: 'slow', with: { firstMs: 800 } });
      return read(await client.messages.create({ ...say(ASK, 'kimi-k2.6'), stream: true }));
    },
    lateFailure: () =>
      broken(
        say(ASK, 'kimi-k2.6'),
        { id: 'F5.headers', times: 0 },
        { headers: { 'x-exai-fallback': 'none' } },
      ),
    async abort() {
      await fault(server, { vendor: 'kimi', id: 'slow', with: { chunkMs: 60 } });
      const stream = await client.messages.create({ ...say(LONG_ASK, 'kimi-k2.6'), stream: true });
      let pieces = 0;
      for await (const { type } of stream) {
        if (type === 'content_block_delta') pieces += 1;
        if (pieces === 3) stream.controller.abort();
      }
      return { pieces, upstream: await sawLeaving(server, 'kimi') };
    },
    async dies() {
      await kimiDies(server);
      return read(await client.messages.create({ ...say(STORY_ASK, 'kimi-k2.6'), stream: true }));
    },
    async diesHelper() {
      await kimiDies(server);
      const helper = client.messages.stream(say(STORY_ASK, 'kimi-k2.6'));
      return { text: await helper.finalText() };
    },
    /** Whoever goes on thinks about it first. */
    async diesThinking() {
      await fault(server, { vendor: 'kimi', id: 'F5.cut', after: 14 });
      const asked = {
        ...say(`${STORY_ASK} [[think 3]]`, 'kimi-k2.6'),
        thinking: { type: 'enabled', budget_tokens: 1_024 },
      };
      return read(await client.messages.create({ ...asked, stream: true }));
    },
    diesAlone: () =>
      broken(
        say(STORY_ASK, 'kimi-k2.6'),
        { id: 'F5.cut', after: 9 },
        { headers: { 'x-exai-continue': 'false' } },
      ),
    async toolMended() {
      const args = JSON.stringify({
        city: 'Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch',
      });
      const tools = [toolOf(weather)];
      const thinking = { type: 'disabled' };
      const asked = {
        ...say(`Go. [[call get_weather ${args}]]`, 'kimi-k2.6'),
        tools,
        thinking,
      };
      for (let after = 3; after < 60; after += 3) {
        const { told, threw } = await broken(asked, { id: 'F5.cut', after });
        if (told.calls !== args) return { told, threw, after };
      }
      return { calls: 'whole' };
    },
    async toolCut() {
      const args = JSON.stringify({
        city: 'Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch',
      });
      const tools = [toolOf(weather)];
      const thinking = { type: 'disabled' };
      const asked = {
        ...say(`Go. [[call get_weather ${args}]]`, 'kimi-k2.6'),
        tools,
        thinking,
        exai: { stream_tools: true },
      };
      for (let after = 3; after < 60; after += 3) {
        const { told, threw } = await broken(asked, { id: 'F5.cut', after });
        if (told.calls !== args) return { told, threw, args, after };
      }
      return { told: null };
    },
  });
});
