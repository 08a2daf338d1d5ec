import { expect, test } from 'vitest';
import * as z from 'zod';
import type { AskContext, AskRequest } from '#core/llm/ask.ts';
import type { Tool, ToolResult, ToolContext } from '#core/tools/tool.ts';
import { askSuite } from '../../test/cases/ask-suite.ts';
import type { AskRig } from '../../test/cases/ask-under-test.ts';
import { glmPayloadPreview } from './glm-payload-preview.ts';
import { readAskRequest } from './shared/read-ask-request.ts';
import { createTestDirectory } from './reporting/model-directory.fixture.ts';
import { verifies } from '../../test/verifies.ts';

const suite = askSuite({ providers: ['glm', 'kimi'] });

interface Preview {
  readonly model: string;
  readonly url?: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly notices: readonly string[];
}

function contextOf(by: AskContext, principal: string): ToolContext {
  const { reqId, deadline } = by;
  const { signal } = new AbortController();
  const caller = { principal, scopes: ['*'], roots: [] };
  return { reqId, deadline, signal, caller } as Partial<ToolContext> as ToolContext;
}

async function preview(rig: AskRig, args: Record<string, unknown>, principal = 'local') {
  const tool: Tool = glmPayloadPreview({
    manager: rig.manager,
    modelDirectory: createTestDirectory(),
  });
  const answer = await tool.run(tool.parse(args), contextOf(rig.by(), principal));
  const { text, content } = answer as ToolResult;
  return { tool, text, content: content as Preview };
}

const WEATHER = { type: 'function', function: { name: 'weather', description: 'Tells it.' } };

verifies('glm:preview', 'it is the request that GLM would get, and no model is asked', async () => {
  const rig = await suite.rig();
  const args = {
    prompt: 'Say exactly: blue',
    model: 'glm-5.3',
    temperature: 0.4,
    system_prompt: 'Be brief.',
    tools: [WEATHER],
  };
  const { text, content } = await preview(rig, { ...args, tool_choice: 'auto' });
  expect(rig.chats()).toEqual([]);
  const request: AskRequest = {
    ...readAskRequest({ ...args, use_websearch: false }),
    fallback: 'none',
  };
  await rig.ask(request, { tool: 'glm_payload_preview' });
  expect(rig.chats('glm')[0]?.body).toEqual(content.body);
  expect(content).toMatchObject({
    model: 'glm-5.3',
    url: expect.stringMatching(/^http.*\/chat\/completions$/) as string,
    body: {
      model: 'glm-5.3',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Say exactly: blue' },
      ],
    },
  });
  expect(text).toContain('"content": "Say exactly: blue"');
});

test('without a model it is one of GLM, and the web is searched only on request', async () => {
  const rig = await suite.rig();
  const plain = await preview(rig, { prompt: 'What is new today?' });
  expect(plain.content.model).toBe('glm-4.7-flash');
  expect(plain.content.body).not.toHaveProperty('tools');
  const searched = await preview(rig, { prompt: 'What is new?', use_websearch: true });
  expect(searched.content.body['tools']).toMatchObject([{ type: 'web_search' }]);
});

test('a tool is chosen in each of the usual ways', async () => {
  const rig = await suite.rig();
  const tools = ['weather', 'time'];
  for (const choice of [{ name: 'time' }, { type: 'function', function: { name: 'time' } }]) {
    const { content } = await preview(rig, { prompt: 'x', tools, tool_choice: choice });
    expect(content.body['tools']).toMatchObject([{ function: { name: 'time' } }]);
  }
  const { content } = await preview(rig, { prompt: 'x', tools, tool_choice: 'none' });
  expect(content.body).not.toHaveProperty('tools');
  await expect(preview(rig, { prompt: 'x', tool_choice: 'required' })).rejects.toMatchObject({
    class: 'validation',
    field: 'tool_choice',
  });
});

test.each([
  [{ model: 'kimi-k3' }, 'validation', 'kimi-k3 is a model of kimi, not of GLM.'],
  [{ model: 'no-such-model-at-all' }, 'not_found', undefined],
])('%j is refused as %s', async (more, errorClass, message) => {
  const rig = await suite.rig();
  await expect(preview(rig, { prompt: 'x', ...more })).rejects.toMatchObject({
    class: errorClass,
    field: 'model',
    ...(message !== undefined && { message }),
  });
});

test('clients with a token do not see the URL of GLM, and every answer matches the schema', async () => {
  const rig = await suite.rig();
  const mine = await preview(rig, { prompt: 'x' });
  const theirs = await preview(rig, { prompt: 'x' }, 'laptop');
  expect(theirs.content).not.toHaveProperty('url');
  expect(theirs.text).not.toContain('http');
  const schema = z.fromJSONSchema(mine.tool.outputSchema as z.core.JSONSchema.JSONSchema);
  for (const { content } of [mine, theirs]) {
    const envelope = { status: 'success', tool: 'x', attempt: 0, req_id: 'req_1', content };
    expect(schema.safeParse(envelope).error).toBeUndefined();
  }
  expect(mine.tool).toMatchObject({ profile: 'full', annotations: { readOnlyHint: true } });
  expect(mine.tool).not.toHaveProperty('pool');
});
