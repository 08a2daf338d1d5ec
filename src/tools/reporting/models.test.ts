import { expect, test } from 'vitest';
import { NO_ANSWERS } from '#core/question.ts';
import type { Tool, ToolAnswer, ToolContext } from '#core/tool.ts';
import { reason } from '#core/messages/reasons.ts';
import { createListLog } from '../../../test/list-log.ts';
import { listmodels } from '../listmodels.ts';
import { providerCapabilities } from '../provider-capabilities.ts';
import { deskOf } from './desk.fixture.ts';
import { noneUsable } from './none-usable.ts';

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
    resumedFrom: undefined,
    checkpoint: () => undefined,
    ask: () => Promise.reject(new Error('it asks nobody')),
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
    '- glm-4.7-flash: 200k tokens; free; it has no key: exai keys add glm',
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

test('listmodels gives the one model that a name means, and says when another answers', async () => {
  const byAlias = await run(listmodels(deskOf()), { model: 'moonshotai/Kimi-K3' });
  expect(idsOf(byAlias)).toEqual(['kimi-k3']);
  expect(byAlias.text).toMatch(/^kimi-k3: 1M tokens/);
  expect(byAlias).not.toHaveProperty('detail');
  const retired = await run(listmodels(deskOf()), { model: 'kimi-thinking-preview' });
  expect(idsOf(retired)).toEqual(['kimi-k3']);
  expect(retired.detail).toContain('kimi-k3 answers instead');
  expect(retired.text).toContain(retired.detail);
  expect(idsOf(await run(listmodels(deskOf()), { model: ' ' }))).toHaveLength(2);
});

test('listmodels refuses a name that means nothing, with the nearest, or one of another provider', async () => {
  await expect(run(listmodels(deskOf()), { model: 'kimi-k33' })).rejects.toMatchObject({
    class: 'not_found',
    field: 'model',
    message: 'There is no model "kimi-k33", did you mean "kimi-k3"?',
  });
  await expect(
    run(listmodels(deskOf()), { model: 'kimi-k3', provider: 'glm' }),
  ).rejects.toMatchObject({
    class: 'not_found',
    message: '"kimi-k3" is a model of kimi, not of glm.',
  });
  await expect(run(listmodels(deskOf()), { model: '__proto__' })).rejects.toMatchObject({
    class: 'not_found',
  });
});

const hintOf = (answer: ToolAnswer) => (answer.content as { hint?: string }).hint;

test('listmodels says why none can be used, and only then', async () => {
  expect(hintOf(await run(listmodels(deskOf())))).toBeUndefined();
  expect(hintOf(await run(listmodels(deskOf()), { provider: 'glm' }))).toBe('exai keys add glm');
});

test('the reason why none can be used is the true one', () => {
  const [kimi, glm] = deskOf().providers();
  const [standing] = deskOf().models();
  if (!kimi || !glm || !standing) throw new Error('the desk is empty');
  const fix = 'exai keys add kimi';
  expect(noneUsable([{ ...kimi, configured: false, fix }, glm], [])).toBe(
    'exai keys add kimi, or exai keys add glm',
  );
  expect(noneUsable([kimi, glm], [])).toBe(
    'no model of Kimi is known; exai models refresh asks for them',
  );
  const why = reason('model_not_allowed', { setting: 'models.allow.kimi' });
  const refused = { ...standing, usable: 'no', obstacle: 'lists', reason: why } as const;
  expect(noneUsable([kimi, glm], [refused])).toBe(
    'models.allow.kimi leaves no model of Kimi in use',
  );
  expect(noneUsable([kimi], [standing])).toBeUndefined();
});

test('what a list has no more is told in a few words, and explained once', async () => {
  const desk = deskOf();
  const unlisted = desk.models().map((each) =>
    each.usable === 'yes'
      ? {
          ...each,
          reason: reason('model_unlisted', { since: '2026-01-30' }),
          unlistedSince: '2026-01-30',
        }
      : each,
  );
  const { text, content } = await run(listmodels({ ...desk, models: () => unlisted }));
  expect(text).toContain('plays kimiQuality; unlisted since 2026-01-30\n');
  expect(text.split('\n').at(-1)).toMatch(/^Unlisted: /);
  expect(content).toMatchObject({ models: [{ unlisted_since: '2026-01-30' }, {}] });
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
