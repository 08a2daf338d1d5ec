import { expect, test } from 'vitest';
import type { GatewayModels, GatewayModelsAsked } from '#core/gateway.ts';
import type { ToolAnswer, ToolContext } from '#core/tool.ts';
import { assumeModel } from '#models/assume-model.ts';
import type { ModelStanding } from '#models/desk.ts';
import { verifies } from '../../../test/verifies.ts';
import { deskOf } from '../reporting/desk.fixture.ts';
import { createModelMeanings } from './model-meanings.ts';
import { gatewayModels } from './models.ts';

async function listed(
  standings: readonly ModelStanding[],
  entries: readonly string[] = [],
  asked: GatewayModelsAsked = {},
) {
  const desk = { models: () => standings, resolve: (name: string) => deskOf().resolve(name) };
  const tool = gatewayModels(desk, createModelMeanings(entries));
  const { content } = (await tool.run({ ...asked }, {} as ToolContext)) as ToolAnswer;
  return (content as GatewayModels).models;
}

test('auto comes first, then whoever can be asked now', async () => {
  expect(await listed(deskOf().models())).toEqual([
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

test('of two with one name the first is listed, and a quotation never', async () => {
  const standing = (id: string, provider: 'kimi' | 'custom' | 'local'): ModelStanding => ({
    model: { ...assumeModel(id, provider), since: 'some day' },
    usable: 'yes',
    roles: [],
  });
  const models = await listed([
    standing('same', 'kimi'),
    standing('same', 'custom'),
    standing('local-extract', 'local'),
  ]);
  expect(models.map(({ id, provider }) => [id, provider])).toEqual([
    ['auto', 'exai'],
    ['same', 'kimi'],
  ]);
  expect(models[1]?.createdAtMs).toBe(0);
});

test('with nobody to ask there is auto alone, which says so when it is asked', async () => {
  expect(await listed([])).toEqual([
    { id: 'auto', title: 'EX-AI chooses', provider: 'exai', createdAtMs: 0 },
  ]);
});

test('it waits for nobody', () => {
  expect(gatewayModels(deskOf(), createModelMeanings([]))).not.toHaveProperty('lane');
});

const idsOf = (models: GatewayModels['models']) => models.map(({ id }) => id);

verifies(
  'gateway:names',
  'names that the settings give a meaning are listed as what they mean',
  async () => {
    const entries = ['gpt-4o=kimi-k3', 'o3=auto', 'kimi-k3=auto', 'gpt-5=no-such-model'];
    const models = await listed(deskOf().models(), [...entries, 'claude-*=auto']);
    expect(idsOf(models)).toEqual(['auto', 'kimi-k3', 'gpt-4o', 'o3']);
    const [auto, kimi, gpt, o3] = models;
    expect(gpt).toEqual({ ...kimi, id: 'gpt-4o' });
    expect(o3).toEqual({ ...auto, id: 'o3' });
  },
);

test('a name that a pattern fits is listed when it is asked about, and no other', async () => {
  const entries = ['claude-*=auto'];
  const about = (id: string) => listed(deskOf().models(), entries, { id });
  expect(idsOf(await about('Claude-Opus-5'))).toEqual(['auto', 'kimi-k3', 'Claude-Opus-5']);
  for (const id of ['gpt-4o', 'kimi-k3', 'auto', '__proto__', '']) {
    expect(idsOf(await about(id))).toEqual(['auto', 'kimi-k3']);
  }
});
