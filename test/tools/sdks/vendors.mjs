// The SDKs that a vendor publishes or that speak only its API, each as a client of that vendor.
import { ASK, SAID, WEATHER_ASK, drive, weather } from './drive.mjs';

const functionTool = {
  type: 'function',
  function: {
    name: weather.name,
    description: weather.description,
    parameters: weather.parameters,
  },
};

async function openrouter({ baseURL, key, model, wrongKey }) {
  const { OpenRouter } = await import('@openrouter/sdk');
  const open = (apiKey) =>
    new OpenRouter({ apiKey, serverURL: baseURL, retryConfig: { strategy: 'none' } });
  const client = open(key);
  const listed = async () => (await client.models.list()).result.data;
  const send = (chatRequest, from = client) => from.chat.send({ chatRequest });
  const say = (content, more = {}) => ({ model, messages: [{ role: 'user', content }], ...more });
  return {
    models: async () => (await listed()).map(({ id }) => id),
    mandatory: async () =>
      (await listed())
        .filter(({ reasoning }) => reasoning?.mandatory)
        .map(({ id, reasoning }) => [id, reasoning.supportedEfforts]),
    key: async () => (await client.apiKeys.getCurrentKeyMetadata()).data,
    credits: async () => (await client.credits.getCredits()).data,
    chat: async () => {
      const { choices, usage } = await send(say(ASK));
      return { text: choices[0].message.content, tokens: usage.totalTokens, cost: usage.cost };
    },
    stream: async () => {
      let text = '';
      let tokens = 0;
      for await (const chunk of await send(say(ASK, { stream: true }))) {
        text += chunk.choices[0]?.delta.content ?? '';
        tokens = chunk.usage?.totalTokens ?? tokens;
      }
      return { text, tokens };
    },
    tools: async () => {
      const asked = say(WEATHER_ASK, { tools: [functionTool] });
      const [{ message }] = (await send(asked)).choices;
      const [call] = message.toolCalls;
      const result = { role: 'tool', toolCallId: call.id, content: '{"celsius":21}' };
      const again = await send({ ...asked, messages: [...asked.messages, message, result] });
      return { call: call.function, text: again.choices[0].message.content };
    },
    wrongKey: () => send(say(ASK), open(wrongKey)),
    unknownModel: () => send({ ...say(ASK), model: 'nobody/nothing' }),
    mandatoryOff: () =>
      send({ ...say(ASK), model: 'moonshotai/kimi-k3', reasoning: { effort: 'none' } }),
  };
}

async function zhipuai({ baseURL, key, model, wrongKey }) {
  const { ZhipuAI } = await import('zhipuai');
  const open = (apiKey) => new ZhipuAI({ apiKey, baseURL, maxRetries: 0 });
  const client = open(key);
  const say = (content, more = {}) => ({ model, messages: [{ role: 'user', content }], ...more });
  return {
    chat: async () => {
      const { choices, usage } = await client.chat.completions.create(say(ASK));
      return { text: choices[0].message.content, tokens: usage.total_tokens };
    },
    stream: async () => {
      let text = '';
      let tokens = 0;
      const stream = await client.chat.completions.create(say(ASK, { stream: true }));
      for await (const chunk of stream) {
        text += chunk.choices[0]?.delta.content ?? '';
        tokens = chunk.usage?.total_tokens ?? tokens;
      }
      return { text, tokens };
    },
    tools: async () => {
      const asked = say(WEATHER_ASK, { tools: [functionTool] });
      const [{ message }] = (await client.chat.completions.create(asked)).choices;
      const [call] = message.tool_calls;
      const result = { role: 'tool', tool_call_id: call.id, content: '{"celsius":21}' };
      const messages = [...asked.messages, message, result];
      const again = await client.chat.completions.create({ ...asked, messages });
      return { call: call.function, text: again.choices[0].message.content };
    },
    embeddings: async () => {
      const { data } = await client.embeddings.create({ model: 'embedding-3', input: SAID });
      return data[0].embedding.length;
    },
    wrongKey: () => open(wrongKey).chat.completions.create(say(ASK)),
    unknownModel: () => client.chat.completions.create({ ...say(ASK), model: 'nothing' }),
  };
}

async function ollama({ baseURL: host, model }) {
  const { Ollama } = await import('ollama');
  const client = new Ollama({ host });
  const say = (content, more = {}) => ({ model, messages: [{ role: 'user', content }], ...more });
  async function joined(stream, pick) {
    let text = '';
    for await (const part of stream) text += pick(part);
    return text;
  }
  return {
    models: async () => (await client.list()).models.map(({ name }) => name),
    show: async () => (await client.show({ model })).capabilities,
    chat: async () => (await client.chat(say(ASK))).message.content,
    stream: async () =>
      joined(await client.chat(say(ASK, { stream: true })), ({ message }) => message.content),
    tools: async () => {
      const asked = say(WEATHER_ASK, { tools: [functionTool] });
      const { message } = await client.chat(asked);
      const result = { role: 'tool', tool_name: weather.name, content: '{"celsius":21}' };
      const again = await client.chat({ ...asked, messages: [...asked.messages, message, result] });
      return { call: message.tool_calls[0].function, text: again.message.content };
    },
    generate: async () => (await client.generate({ model, prompt: ASK })).response,
    generateStream: async () =>
      joined(
        await client.generate({ model, prompt: ASK, stream: true }),
        ({ response }) => response,
      ),
    embed: async () => {
      const { embeddings } = await client.embed({ model, input: [SAID, 'two'] });
      return embeddings.map((vector) => vector.length);
    },
    unknownModel: () => client.chat({ ...say(ASK), model: 'nothing' }),
  };
}

const CLIENTS = { openrouter, zhipuai, ollama };

await drive((server) => CLIENTS[server.name](server));
