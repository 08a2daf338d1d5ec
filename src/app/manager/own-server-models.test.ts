import { expect, onTestFinished, test } from 'vitest';
import { tempHome } from '#config/temp-home.fixture.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import { createIds } from '#core/ids.ts';
import { createMetrics } from '#telemetry/metrics/metrics.ts';
import { startEmulator } from '../../../emulator/start.ts';
import { openAskStore } from '../../../test/cases/ask-under-test.ts';
import { createListLog } from '../../../test/list-log.ts';
import { systemClock, systemRandom } from '../system.ts';
import { openModelSide } from './model-side.ts';

const newId = createIds(systemClock, systemRandom);

async function createRig() {
  const emulator = await startEmulator();
  const opened = await openAskStore();
  const home = tempHome();
  const configOf = (settings: object) => {
    home.write('config.json', JSON.stringify({ routing: { classify: false }, ...settings }));
    return home.load().config;
  };
  const models = await openModelSide({
    config: configOf({}),
    store: opened.store,
    clock: systemClock,
    random: systemRandom,
    telemetry: { log: createListLog(), crumbs: createListLog(), metrics: createMetrics() },
    secrets: () => [],
  });
  onTestFinished(async () => {
    await models.close();
    await opened.close();
    await emulator.close();
  });
  const ask = async (model?: string) => {
    const answer = await models.manager.ask(
      {
        messages: [{ role: 'user', content: 'Say exactly: me' }],
        ...(model !== undefined && { model }),
      },
      {
        reqId: newId('req'),
        tool: 'chat',
        caller: { principal: 'local', scopes: ['*'], roots: [] },
        deadline: deadlineIn(systemClock, 60_000),
        signal: new AbortController().signal,
        category: 'balanced',
        nextAttempt: () => 1,
      },
    );
    return `${answer.text} by ${answer.model}`;
  };
  const change = async (settings: object) => (await models.prepare(configOf(settings))).commit();
  const listed = () =>
    models.modelDirectory
      .models()
      .flatMap(({ model }) => (model.provider === 'custom' ? model.id : []));
  return { url: emulator.url, ask, change, listed };
}

test('a server that is added at run time has its models at once, and the first one answers', async () => {
  const { url, ask, change, listed } = await createRig();
  await change({ providers: { custom: { baseUrl: `${url}/ollama/v1` } } });
  expect(listed()).toEqual(['llama3.2:latest', 'qwen3:8b', 'llava:latest']);
  expect(await ask()).toBe('me by llama3.2:latest');
  expect(await ask('qwen3:8b')).toBe('me by qwen3:8b');
});

test('a server with one model answers under the name of the model', async () => {
  const { url, ask, change, listed } = await createRig();
  await change({ providers: { custom: { baseUrl: `${url}/vllm/v1` } } });
  const [only = ''] = listed();
  expect(await ask()).toBe(`me by ${only}`);
});
