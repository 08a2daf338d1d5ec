import { expect, test } from 'vitest';
import type { AskContext } from '#core/llm/ask.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Embedded, Embedder } from '#core/llm/embed.ts';
import type { GatewayEmbeddings } from '#core/llm/gateway.ts';
import type { ToolResult, ToolContext } from '#core/tools/tool.ts';
import { createCatalogue } from '#models/catalogue.ts';
import { gatewayEmbeddings } from './embeddings.ts';
import { createModelAliases } from './model-aliases.ts';

const EMBEDDED: Embedded = {
  made: {
    model: 'embedding-3',
    provider: 'glm',
    vectors: [Float32Array.of(1, 0)],
    usage: { input: 3, output: 0, cached: 0, reasoning: 0, estimated: false },
  },
  report: {
    provider: 'glm',
    model: 'embedding-3',
    reasons: [],
    attempts: [],
    notices: [],
    costMicroUsd: 0,
    costKnown: false,
    quality: 'full',
  },
};

const CONTEXT = {
  reqId: 'req_1',
  tool: 'gateway_embeddings',
  caller: { principal: 'ci', scopes: ['*'], roots: [] },
  deadline: { at: 1000 },
  signal: new AbortController().signal,
} as Partial<ToolContext> as ToolContext;

async function run(args: GatewayEmbeddings, embed?: Embedder['embed']) {
  const asked: { request: GatewayEmbeddings; by: AskContext }[] = [];
  const tool = gatewayEmbeddings({
    modelDirectory: createCatalogue(),
    aliases: createModelAliases(['kimi-*=auto', '*embedding*=auto']),
    timeoutMs: 1000,
    embedder: {
      async embed(request, by) {
        asked.push({ request, by });
        return embed ? embed(request, by) : EMBEDDED;
      },
    },
  });
  const given = (await tool.run({ ...args }, CONTEXT)) as ToolResult;
  return { given, asked };
}

test('the vectors are the content, with usage', async () => {
  const { given, asked } = await run({ model: 'auto', texts: ['a'], dimensions: 256 });
  expect(given).toEqual({ text: '', content: EMBEDDED.made, askReports: [EMBEDDED.report] });
  expect(asked[0]?.request).toEqual({ model: 'auto', texts: ['a'], dimensions: 256 });
  const by = asked[0]?.by;
  expect(by).toMatchObject({ reqId: 'req_1', tool: 'gateway_embeddings', caller: CONTEXT.caller });
  expect([by?.nextAttempt(), by?.nextAttempt()]).toEqual([1, 2]);
});

test.each([
  ['embedding-3', 'embedding-3'],
  [' Embedding-2', ' Embedding-2'],
  ['text-embedding-3-small', 'auto'],
  ['kimi-k3', 'kimi-k3'],
  ['nomic', 'nomic'],
])('%j is asked for as %j', async (name, meant) => {
  expect((await run({ model: name, texts: ['a'] })).asked[0]?.request.model).toBe(meant);
});

test('a failure is the answer', async () => {
  const failing = run({ model: 'auto', texts: ['a'] }, () =>
    Promise.reject(new CallError('budget', 'Spent.')),
  );
  await expect(failing).rejects.toMatchObject({ class: 'budget' });
});

test('the alias as written is passed on with its model', async () => {
  const { asked } = await run({ model: 'text-embedding-3-small', texts: ['a'] });
  expect(asked[0]?.request.namedAs).toBe('text-embedding-3-small');
});
