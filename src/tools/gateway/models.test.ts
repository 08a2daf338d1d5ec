import { expect, test } from 'vitest';
import type { GatewayModels } from '#core/gateway.ts';
import type { ToolAnswer, ToolContext } from '#core/tool.ts';
import { assumeModel } from '#models/assume-model.ts';
import type { ModelStanding } from '#models/desk.ts';
import { deskOf } from '../reporting/desk.fixture.ts';
import { gatewayModels } from './models.ts';

async function listed(standings: readonly ModelStanding[]) {
  const tool = gatewayModels({ models: () => standings });
  const { content } = (await tool.run({}, {} as ToolContext)) as ToolAnswer;
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
  expect(gatewayModels(deskOf())).not.toHaveProperty('lane');
});
