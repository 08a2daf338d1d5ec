import { expect, test } from 'vitest';
import { NO_INPUT_RESPONSES } from '#core/tools/input-request.ts';
import type { Tool, ToolResult, ToolContext } from '#core/tools/tool.ts';
import { reason } from '#core/messages/reasons.ts';
import { createListLog } from '../../../test/list-log.ts';
import { listmodels } from '../listmodels.ts';
import { providerCapabilities } from '../provider-capabilities.ts';
import { createTestDirectory } from './model-directory.fixture.ts';
import { explainNoUsableModel } from './models.ts';
import { NO_INNER_CALLS } from '../../../test/no-tools.ts';

const AT = '2026-01-31T12:00:00.000Z';

async function run(tool: Tool, args: object = {}, principal = 'local'): Promise<ToolResult> {
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
    answers: NO_INPUT_RESPONSES,
    clientCapabilities: [],
    resumedFrom: undefined,
    checkpoint: () => undefined,
    storeCheckpoint: async () => undefined,
    ask: () => Promise.reject(new Error('it asks nobody')),
    calls: NO_INNER_CALLS,
    logToClient: () => undefined,
  };
  const answer = await tool.run(tool.parse({ ...args }), context);
  if ('inputRequests' in answer) throw new Error('it asks');
  return answer;
}

const idsOf = (answer: ToolResult) =>
  (answer.content as { models: { id: string }[] }).models.map(({ id }) => id);

test('listmodels names each live model with its window and price, and why one cannot be used', async () => {
  const answer = await run(listmodels(createTestDirectory()));
  expect(answer.text.split('\n')).toEqual([
    'Kimi:',
    '- kimi-k3: 1M tokens; $3 in, $15 out; takes image, video; plays kimiQuality',
    '',
    'GLM (not set up; exai keys add glm):',
    '- glm-4.7-flash: 200k tokens; free; it has no key: exai keys add glm',
  ]);
  expect(answer.content).toMatchObject({ refreshed_at: AT });
  expect(idsOf(answer)).toEqual(['kimi-k3', 'glm-4.7-flash']);
});

test('listmodels shows those of one provider, and the retired when asked for', async () => {
  const kimi = await run(listmodels(createTestDirectory()), {
    provider: 'kimi',
    include_retired: true,
  });
  expect(idsOf(kimi)).toEqual(['kimi-k3', 'kimi-old']);
  expect(kimi.text).toContain(
    'kimi-old: 1M tokens; $3 in, $15 out; takes image, video; switched off 2026-01-28, kimi-k3 answers',
  );
});

test('listmodels gives the one model that a name means, and says when another answers', async () => {
  const byAlias = await run(listmodels(createTestDirectory()), { model: 'moonshotai/Kimi-K3' });
  expect(idsOf(byAlias)).toEqual(['kimi-k3']);
  expect(byAlias.text).toMatch(/^kimi-k3: 1M tokens/);
  expect(byAlias).not.toHaveProperty('detail');
  const retired = await run(listmodels(createTestDirectory()), { model: 'kimi-thinking-preview' });
  expect(idsOf(retired)).toEqual(['kimi-k3']);
  expect(retired.detail).toContain('kimi-k3 answers instead');
  expect(retired.text).toContain(retired.detail);
  expect(idsOf(await run(listmodels(createTestDirectory()), { model: ' ' }))).toHaveLength(2);
});

test('listmodels refuses a name that means nothing, with the nearest, or one of another provider', async () => {
  await expect(run(listmodels(createTestDirectory()), { model: 'kimi-k33' })).rejects.toMatchObject(
    {
      class: 'not_found',
      field: 'model',
      message: 'There is no model "kimi-k33", did you mean "kimi-k3"?',
    },
  );
  await expect(
    run(listmodels(createTestDirectory()), { model: 'kimi-k3', provider: 'glm' }),
  ).rejects.toMatchObject({
    class: 'not_found',
    message: '"kimi-k3" is a model of kimi, not of glm.',
  });
  await expect(
    run(listmodels(createTestDirectory()), { model: '__proto__' }),
  ).rejects.toMatchObject({
    class: 'not_found',
  });
});

const hintOf = (answer: ToolResult) => (answer.content as { hint?: string }).hint;

test('listmodels says why none can be used, and only then', async () => {
  expect(hintOf(await run(listmodels(createTestDirectory())))).toBeUndefined();
  expect(hintOf(await run(listmodels(createTestDirectory()), { provider: 'glm' }))).toBe(
    'exai keys add glm',
  );
});

test('the reason why none can be used is the true one', () => {
  const [kimi, glm] = createTestDirectory().providers();
  const [standing] = createTestDirectory().models();
  if (!kimi || !glm || !standing) throw new Error('the directory is empty');
  const fix = 'exai keys add kimi';
  expect(explainNoUsableModel([{ ...kimi, configured: false, fix }, glm], [])).toBe(
    'exai keys add kimi, or exai keys add glm',
  );
  expect(explainNoUsableModel([kimi, glm], [])).toBe(
    'no model of Kimi is known; exai models refresh asks for them',
  );
  const why = reason('model_not_allowed', { setting: 'models.allow.kimi' });
  const refused = { ...standing, isUsable: false, obstacle: 'lists', reason: why } as const;
  expect(explainNoUsableModel([kimi, glm], [refused])).toBe(
    'models.allow.kimi leaves no model of Kimi in use',
  );
  expect(explainNoUsableModel([kimi], [standing])).toBeUndefined();
});

test('an unlisted model is marked in short, and explained once', async () => {
  const modelDirectory = createTestDirectory();
  const unlisted = modelDirectory.models().map((each) =>
    each.isUsable
      ? {
          ...each,
          reason: reason('model_unlisted', { since: '2026-01-30' }),
          unlistedSince: '2026-01-30',
        }
      : each,
  );
  const { text, content } = await run(listmodels({ ...modelDirectory, models: () => unlisted }));
  expect(text).toContain('plays kimiQuality; unlisted since 2026-01-30\n');
  expect(text.split('\n').at(-1)).toMatch(/^Unlisted: /);
  expect(content).toMatchObject({ models: [{ unlisted_since: '2026-01-30' }, {}] });
});

test('provider_capabilities says what each can do, and what is missing', async () => {
  const tool = providerCapabilities(createTestDirectory());
  expect((await run(tool)).text.split('\n')).toEqual([
    'Kimi at api.moonshot.ai: 1 model; chat, upload, web search',
    'GLM: not set up; exai keys add glm',
  ]);
});

test('provider_capabilities shows the host of a provider to the owner only', async () => {
  const { text, content } = await run(providerCapabilities(createTestDirectory()), {}, 'laptop');
  expect(text.split('\n')).toEqual(['Kimi: 1 model; chat, upload, web search', 'GLM: not set up']);
  expect(JSON.stringify(content)).not.toContain('moonshot');
});
