// LangChain's `ChatOpenAI` and `OpenAIEmbeddings` as clients of the gateway.
import * as z from 'zod';
import { HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai';
import { ASK, CITY_ASK, PNG, WEATHER_ASK, drive, fault, weather } from './drive.mjs';
import { STORY_ASK, apart, failureOf, kimiDies } from './gateway-drive.mjs';

await drive(async (server) => {
  const { baseURL, key } = server;
  const configuration = { baseURL };
  const open = (model = 'auto', options = {}) =>
    new ChatOpenAI({ model, apiKey: key, configuration, maxRetries: 0, ...options });
  const getWeather = tool(weather.run, {
    name: weather.name,
    description: weather.description,
    schema: z.object({ city: z.string().describe('Name of the city.') }),
  });

  const well = (content, model) => open(model).invoke(content);

  return apart(server, well, {
    async chat() {
      const asked = [new SystemMessage('Be brief.'), new HumanMessage(ASK)];
      const {
        content,
        usage_metadata: usage,
        response_metadata: facts,
      } = await open().invoke(asked);
      return { text: content, usage, finish: facts.finish_reason };
    },
    async stream() {
      // What comes in one read is told as one piece.
      await fault(server, { vendor: 'glm', id: 'slow', with: { chunkMs: 20 } });
      let whole;
      let pieces = 0;
      for await (const chunk of await open().stream(ASK)) {
        if (chunk.content) pieces += 1;
        whole = whole ? whole.concat(chunk) : chunk;
      }
      return { text: whole.content, pieces, usage: whole.usage_metadata };
    },
    async tools() {
      const model = open().bindTools([getWeather]);
      const asked = [new HumanMessage(WEATHER_ASK)];
      const first = await model.invoke(asked);
      const [call] = first.tool_calls;
      const result = new ToolMessage({
        tool_call_id: call.id,
        content: JSON.stringify(await getWeather.invoke(call.args)),
      });
      const second = await model.invoke([...asked, first, result]);
      return { call: { name: call.name, args: call.args }, text: second.content };
    },
    async toolStream() {
      let whole;
      for await (const chunk of await open().bindTools([getWeather]).stream(WEATHER_ASK))
        whole = whole ? whole.concat(chunk) : chunk;
      return whole.tool_calls.map(({ name, args }) => ({ name, args }));
    },
    async structured() {
      const City = z.object({ name: z.string(), people: z.number().int() });
      const found = {};
      for (const method of ['jsonSchema', 'functionCalling'])
        found[method] = await open()
          .withStructuredOutput(City, { name: 'city', method })
          .invoke(CITY_ASK);
      return found;
    },
    async image() {
      const content = [
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
      ];
      return { text: (await open().invoke([new HumanMessage({ content })])).content };
    },
    async twoChoices() {
      const { generations } = await open('auto', { n: 2 }).generate([[new HumanMessage(ASK)]]);
      return generations[0].map(({ text }) => text);
    },
    async embeddings() {
      const embeddings = new OpenAIEmbeddings({
        model: 'embedding-3',
        apiKey: key,
        configuration,
        maxRetries: 0,
      });
      return {
        vectors: await embeddings.embedDocuments([
          'a cat sat on the mat',
          'the cat sat on a mat',
          'quarterly revenue of the bank',
        ]),
      };
    },
    async dies() {
      await kimiDies(server);
      let text = '';
      for await (const chunk of await open('kimi-k2.6').stream(STORY_ASK)) text += chunk.text;
      return { text };
    },
    unknownModel: () => failureOf(() => open('no-such-model').invoke(ASK)),
    wrongKey: () => failureOf(() => open('auto', { apiKey: 'sk-unknown' }).invoke(ASK)),
  });
});
