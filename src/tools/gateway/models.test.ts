import { expect, test } from 'vitest';
import type { GatewayModels, GatewayModelsRequest } from '#core/llm/gateway.ts';
import type { ToolResult, ToolContext } from '#core/tools/tool.ts';
import { assumeModel } from '#models/assume-model.ts';
import type { ModelStatus } from '#models/model-directory.ts';
import { verifies } from '../../../test/verifies.ts';
import { createTestDirectory } from '../reporting/model-directory.fixture.ts';
import { createModelAliases } from './model-aliases.ts';
import { gatewayModels } from './models.ts';

async function listed(
  standings: readonly ModelStatus[],
  entries: readonly string[] = [],
  asked: GatewayModelsRequest = {},
) {
  const modelDirectory = {
    models: () => standings,
    resolve: (name: string) => createTestDirectory().resolve(name),
  };
  const tool = gatewayModels(modelDirectory, createModelAliases(entries));
  const { content } = (await tool.run({ ...asked }, {} as ToolContext)) as ToolResult;
  return (content as GatewayModels).models;
}

test('auto comes first, then the usable models', async () => {
  expect(await listed(createTestDirectory().models())).toEqual([
    {
      id: 'auto',
      title: 'EX-AI chooses',
      provider: 'exai',
      createdAtMs: 0,
      contextTokens: expect.any(Number) as number,
    },
    {
      id: 'kimi-k3',
      title: expect.any(String) as string,
      provider: 'kimi',
      createdAtMs: Date.parse('2026-07-16'),
      contextTokens: expect.any(Number) as number,
      maxOutputTokens: expect.any(Number) as number,
    },
  ]);
});

test('of two with one name the first is listed, and the extractive fallback never', async () => {
  const standing = (id: string, provider: 'kimi' | 'custom' | 'extractive'): ModelStatus => ({
    model: { ...assumeModel(id, provider), since: 'some day' },
    isUsable: true,
    roles: [],
  });
  const models = await listed([
    standing('same', 'kimi'),
    standing('same', 'custom'),
    standing('local-extract', 'extractive'),
  ]);
  expect(models.map(({ id, provider }) => [id, provider])).toEqual([
    ['auto', 'exai'],
    ['same', 'kimi'],
  ]);
  expect(models[1]?.createdAtMs).toBe(0);
});

test('without a usable model only auto is listed', async () => {
  expect(await listed([])).toEqual([
    { id: 'auto', title: 'EX-AI chooses', provider: 'exai', createdAtMs: 0 },
  ]);
});

test('it calls no provider', () => {
  expect(gatewayModels(createTestDirectory(), createModelAliases([]))).not.toHaveProperty('pool');
});

const idsOf = (models: GatewayModels['models']) => models.map(({ id }) => id);

verifies('gateway:names', 'aliases are listed as the models they resolve to', async () => {
  const entries = ['gpt-4o=kimi-k3', 'o3=auto', 'kimi-k3=auto', 'gpt-5=no-such-model'];
  const models = await listed(createTestDirectory().models(), [...entries, 'claude-*=auto']);
  expect(idsOf(models)).toEqual(['auto', 'kimi-k3', 'gpt-4o', 'o3']);
  const [auto, kimi, gpt, o3] = models;
  expect(gpt).toEqual({ ...kimi, id: 'gpt-4o' });
  expect(o3).toEqual({ ...auto, id: 'o3' });
});

test('a name that matches a pattern is listed only on request', async () => {
  const entries = ['claude-*=auto'];
  const about = (id: string) => listed(createTestDirectory().models(), entries, { id });
  expect(idsOf(await about('Claude-Opus-5'))).toEqual(['auto', 'kimi-k3', 'Claude-Opus-5']);
  for (const id of ['gpt-4o', 'kimi-k3', 'auto', '__proto__', '']) {
    expect(idsOf(await about(id))).toEqual(['auto', 'kimi-k3']);
  }
});
