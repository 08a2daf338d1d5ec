// Clients of others, each as its documentation shows it, against one vendor of the emulator.
import * as z from 'zod';
import { ASK, CITY_ASK, WEATHER_ASK, drive, weather } from '../sdks/drive.mjs';

const City = z.object({ city: z.string() });
const run = async ({ city }) => JSON.stringify(weather.run({ city }));

/** The `ai` package with a provider of one vendor. */
async function ai({ model, wrongKey, key }, open) {
  const { generateText, streamText, tool, stepCountIs } = await import('ai');
  const ask = (prompt, apiKey = key, name = model) => ({
    model: open(apiKey)(name),
    prompt,
    maxRetries: 0,
  });
  const tools = {
    [weather.name]: tool({
      description: weather.description,
      inputSchema: City,
      execute: (input) => weather.run(input),
    }),
  };
  return {
    chat: async () => {
      const { text, usage } = await generateText(ask(ASK));
      return { text, tokens: usage.totalTokens };
    },
    stream: async () => {
      let text = '';
      const { textStream, usage } = streamText({ ...ask(ASK), onError: () => {} });
      for await (const piece of textStream) text += piece;
      return { text, tokens: (await usage).totalTokens };
    },
    tools: async () => {
      const asked = { ...ask(WEATHER_ASK), tools, stopWhen: stepCountIs(3) };
      const { text, steps } = await generateText(asked);
      const [{ toolName: name, input }] = steps[0].toolCalls;
      return { call: { name, input }, text };
    },
    wrongKey: () => generateText(ask(ASK, wrongKey)),
    unknownModel: () => generateText(ask(ASK, key, 'nobody/nothing')),
  };
}

async function zhipu(server) {
  const { createZhipu } = await import('zhipu-ai-provider');
  return ai(server, (apiKey) => createZhipu({ baseURL: server.baseURL, apiKey }));
}

async function openrouter(server) {
  const { createOpenRouter } = await import('@openrouter/ai-sdk-provider');
  return ai(server, (apiKey) => createOpenRouter({ baseURL: server.baseURL, apiKey }));
}

async function langchain({ baseURL, key, wrongKey, model, body }) {
  const { ChatOpenAI } = await import('@langchain/openai');
  const { tool } = await import('@langchain/core/tools');
  const { HumanMessage, ToolMessage } = await import('@langchain/core/messages');
  const open = (more = {}) =>
    new ChatOpenAI({
      model,
      apiKey: key,
      configuration: { baseURL },
      maxRetries: 0,
      modelKwargs: body,
      ...more,
    });
  const { name, description } = weather;
  const getWeather = tool(run, { name, description, schema: City });
  return {
    chat: async () => {
      const { content, usage_metadata: usage } = await open().invoke(ASK);
      return { text: content, tokens: usage.total_tokens };
    },
    stream: async () => {
      let whole;
      for await (const piece of await open().stream(ASK)) whole = whole?.concat(piece) ?? piece;
      return { text: whole.content, tokens: whole.usage_metadata.total_tokens };
    },
    tools: async () => {
      const bound = open().bindTools([getWeather]);
      const asked = [new HumanMessage(WEATHER_ASK)];
      const first = await bound.invoke(asked);
      const [call] = first.tool_calls;
      const result = new ToolMessage({ tool_call_id: call.id, content: await run(call.args) });
      const { content } = await bound.invoke([...asked, first, result]);
      return { call: { name: call.name, input: call.args }, text: content };
    },
    structured: () =>
      open()
        .withStructuredOutput(z.object({ name: z.string(), people: z.number().int() }), {
          name: 'city',
          method: 'jsonSchema',
        })
        .invoke(CITY_ASK),
    wrongKey: () => open({ apiKey: wrongKey }).invoke(ASK),
    unknownModel: () => open({ model: 'nothing' }).invoke(ASK),
  };
}

async function llamaindex({ baseURL, key, wrongKey, model, body }) {
  const { OpenAI } = await import('@llamaindex/openai');
  const open = (more = {}) =>
    new OpenAI({
      model,
      apiKey: key,
      baseURL,
      maxRetries: 0,
      temperature: 0.6,
      topP: 0.95,
      additionalChatOptions: body,
      ...more,
    });
  const user = (content) => [{ role: 'user', content }];
  const tool = { metadata: weather, call: run };
  return {
    chat: async () => (await open().chat({ messages: user(ASK) })).message.content,
    stream: async () => {
      let text = '';
      for await (const { delta } of await open().chat({ messages: user(ASK), stream: true }))
        text += delta ?? '';
      return text;
    },
    tools: async () => {
      const messages = user(WEATHER_ASK);
      const { message } = await open().chat({ messages, tools: [tool] });
      const [call] = message.options.toolCall;
      const result = await run(call.input);
      const toolResult = { id: call.id, result, isError: false };
      const again = await open().chat({
        messages: [
          ...messages,
          message,
          { role: 'user', content: result, options: { toolResult } },
        ],
        tools: [tool],
      });
      return { call: { name: call.name, input: call.input }, text: again.message.content };
    },
    wrongKey: () => open({ apiKey: wrongKey }).chat({ messages: user(ASK) }),
    unknownModel: () => open({ model: 'nothing' }).chat({ messages: user(ASK) }),
  };
}

async function agents({ baseURL, key, wrongKey, model }) {
  const { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } =
    await import('@openai/agents');
  const { default: OpenAI } = await import('openai');
  setTracingDisabled(true);
  const runner = (apiKey = key) => {
    const openAIClient = new OpenAI({ baseURL, apiKey, maxRetries: 0 });
    const modelProvider = new OpenAIProvider({ openAIClient, useResponses: false });
    return new Runner({ modelProvider, tracingDisabled: true });
  };
  const { name, description } = weather;
  const getWeather = tool({ name, description, parameters: City, execute: run });
  const agent = (more = {}) => new Agent({ name: 'A', instructions: 'Be short.', model, ...more });
  return {
    chat: async () => (await runner().run(agent(), ASK)).finalOutput,
    stream: async () => {
      const running = await runner().run(agent(), ASK, { stream: true });
      let text = '';
      for await (const piece of running.toTextStream()) text += piece;
      await running.completed;
      return text;
    },
    tools: async () => {
      const done = await runner().run(agent({ tools: [getWeather] }), WEATHER_ASK);
      const { rawItem } = done.newItems.find(({ type }) => type === 'tool_call_item');
      return {
        call: { name: rawItem.name, input: JSON.parse(rawItem.arguments) },
        text: done.finalOutput,
      };
    },
    wrongKey: () => runner(wrongKey).run(agent(), ASK),
    unknownModel: () => runner().run(agent({ model: 'nothing' }), ASK),
  };
}

const CLIENTS = { zhipu, openrouter, langchain, llamaindex, agents };

await drive((server) => CLIENTS[server.client](server));
