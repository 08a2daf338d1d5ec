import { expect, test } from 'vitest';
import type { AskRequest } from '#core/llm/ask.ts';
import type { GatewayTokens } from '#core/llm/gateway.ts';
import type { ToolResult, ToolContext } from '#core/tools/tool.ts';
import { estimateChat } from '#models/estimate-chat.ts';
import { createCatalogue } from '#models/catalogue.ts';
import { gatewayCountTokens } from './count-tokens.ts';
import { createModelAliases } from './model-aliases.ts';
import { NO_DOCUMENTS } from './no-documents.fixture.ts';

const operation = gatewayCountTokens({
  modelDirectory: { resolve: (name) => createCatalogue().resolve(name), models: () => [] },
  ...NO_DOCUMENTS,
  aliases: createModelAliases(['claude-*=auto']),
});

async function count(ask: AskRequest): Promise<number> {
  const { content } = (await operation.run({ ask }, {} as ToolContext)) as ToolResult;
  return (content as GatewayTokens).tokens;
}

const messages = [{ role: 'user', content: 'How many tokens is this?' }] as const;
const tools = [{ name: 'add', description: 'Adds.', parameters: { type: 'object' } }];

test('messages, system and tools are counted as they would be sent', async () => {
  expect(await count({ messages })).toBe(estimateChat(messages));
  expect(await count({ messages, tools, system: 'Be brief.' })).toBe(
    estimateChat([{ role: 'system', content: 'Be brief.' }, ...messages], tools),
  );
  expect(await count({ messages, system: '  ' })).toBe(await count({ messages }));
});

test('files and a schema count, too; a conversation without a question is counted all the same', async () => {
  const bare = await count({ messages });
  expect(
    await count({ messages, files: [{ name: 'a.md', text: 'word '.repeat(100) }] }),
  ).toBeGreaterThan(bare + 90);
  const schema = { type: 'object', properties: { answer: { type: 'string' } } };
  const responseFormat = { type: 'json_schema', name: 'answer', schema } as const;
  expect(await count({ messages, responseFormat })).toBeGreaterThan(bare);
  expect(await count({ messages: [] })).toBeGreaterThan(0);
});

test('megabytes are counted', async () => {
  const content = 'lorem ipsum '.repeat(900_000);
  expect(await count({ messages: [{ role: 'user', content }] })).toBeGreaterThan(1_000_000);
});
