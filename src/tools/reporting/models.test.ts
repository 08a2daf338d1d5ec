import { expect, test } from 'vitest';
import { NO_ANSWERS } from '#core/question.ts';
import type { Tool, ToolAnswer, ToolContext } from '#core/tool.ts';
import { createListLog } from '../../../test/list-log.ts';
import { listmodels } from '../listmodels.ts';
import { providerCapabilities } from '../provider-capabilities.ts';
import { deskOf } from './desk.fixture.ts';

const AT = '2026-01-31T12:00:00.000Z';

async function run(tool: Tool, args: object = {}, principal = 'local'): Promise<ToolAnswer> {
  const context: ToolContext = {
    reqId: 'req_0',
    tool: tool.name,
    args: {},
    caller: { principal, scopes: ['*'], roots: [] },
    deadline: { at: 0 },
    signal: new AbortController().signal,
    metadata: { timestamp_utc: AT, timestamp_local: AT, timezone: 'UTC' },
    progress: () => undefined,
    log: createListLog(),
    answers: NO_ANSWERS,
    askable: [],
    say: () => undefined,
  };
  const answer = await tool.run(tool.parse({ ...args }), context);
  if ('asks' in answer) throw new Error('it asks');
  return answer;
}

const idsOf = (answer: ToolAnswer) =>
  (answer.content as { models: { id: string }[] }).models.map(({ id }) => id);

test('listmodels names each live model with its window and price, and why one cannot be used', async () => {
  const answer = await run(listmodels(deskOf()));
  expect(answer.text.split('\n')).toEqual([
    'Kimi:',
    '- kimi-k3: 1M tokens; $3 in, $15 out; takes image, video; plays kimiQuality',
    '',
    'GLM (not set up; exai keys add glm):',
    '- glm-4.7-flash: 200k tokens; free; exai keys add glm',
  ]);
  expect(answer.content).toMatchObject({ refreshed_at: AT });
  expect(idsOf(answer)).toEqual(['kimi-k3', 'glm-4.7-flash']);
});

test('listmodels shows those of one provider, and the retired when asked for', async () => {
  const kimi = await run(listmodels(deskOf()), { provider: 'kimi', include_retired: true });
  expect(idsOf(kimi)).toEqual(['kimi-k3', 'kimi-old']);
  expect(kimi.text).toContain(
    'kimi-old: 1M tokens; $3 in, $15 out; takes image, video; switched off 2026-01-28, kimi-k3 answers',
  );
});

test('provider_capabilities says what each can do, and what is missing', async () => {
  const tool = providerCapabilities(deskOf());
  expect((await run(tool)).text.split('\n')).toEqual([
    'Kimi at api.moonshot.ai: 1 model; chat, upload, web search',
    'GLM: not set up; exai keys add glm',
  ]);
});

test('provider_capabilities tells nobody but the owner where a provider is', async () => {
  const { text, content } = await run(providerCapabilities(deskOf()), {}, 'laptop');
  expect(text.split('\n')).toEqual(['Kimi: 1 model; chat, upload, web search', 'GLM: not set up']);
  expect(JSON.stringify(content)).not.toContain('moonshot');
});
