import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { tempHome } from '#config/temp-home.fixture.ts';
import { CONFIG_SCHEMA } from '#config/schema/settings.ts';
import { secretValues } from '#config/secrets/mask.ts';
import { createIds } from '#core/ids.ts';
import type { AskContext } from '#core/llm/ask.ts';
import type { CallRecord } from '#core/stores/calls.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import { createMetrics } from '#telemetry/metrics/metrics.ts';
import { createSecretList } from '#telemetry/redaction/secret-list.ts';
import { startEmulator, type Emulator } from '../../../emulator/start.ts';
import { openAskStore } from '../../../test/cases/ask-under-test.ts';
import { createListLog } from '../../../test/list-log.ts';
import { caseCount } from '../../../test/thorough.ts';
import { verifies } from '../../../test/verifies.ts';
import { openModelSide } from '../manager/model-side.ts';
import { systemClock, systemRandom } from '../system.ts';
import { createReloader } from './reload.ts';
import { createRunningSettings } from './running-settings.ts';

const newId = createIds(systemClock, systemRandom);

test('every setting is marked with when it applies', () => {
  const marks = new Set(CONFIG_SCHEMA.settings.map(({ meta }) => meta.applies.at));
  expect(marks).toEqual(new Set(['reload', 'restart']));
  const restart = CONFIG_SCHEMA.settings.filter(({ meta }) => meta.applies.at === 'restart');
  expect(restart.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['host', 'port', 'database', 'token', 'gateway.enabled']),
  );
});

describe('a reload', () => {
  let emulator: Emulator;
  let opened: Awaited<ReturnType<typeof openAskStore>>;
  beforeAll(async () => {
    emulator = await startEmulator();
    opened = await openAskStore();
  });
  beforeEach(() => emulator.reset());
  afterAll(async () => {
    await opened.close();
    await emulator.close();
  });

  /** The parts of a daemon that a reload concerns, over real HTTP. */
  async function createRig(record?: (call: CallRecord) => Promise<void>) {
    const home = tempHome();
    const write = (settings: object, key = 'emulated.secret0002') => {
      home.write('.env', `GLM_API_KEY=${key}\nGLM_API_URL=${emulator.url}/glm/api/paas/v4\n`);
      home.write('config.json', JSON.stringify(settings));
    };
    write({ routing: { classify: false } });
    const log = createListLog();
    const settings = createRunningSettings(home.load());
    const { config } = settings.current();
    const secrets = createSecretList(secretValues(config));
    const { store } = opened;
    const models = await openModelSide({
      config,
      store,
      clock: systemClock,
      random: systemRandom,
      telemetry: { log, crumbs: createListLog(), metrics: createMetrics() },
      secrets: secrets.texts,
    });
    onTestFinished(() => models.close());
    const prepared: string[][] = [];
    const applied: (readonly string[])[] = [];
    const rows: CallRecord[] = [];
    const reloader = createReloader({
      settings,
      models: {
        prepare(next) {
          prepared.push([...secrets.texts()]);
          return models.prepare(next);
        },
      },
      secrets,
      onApplied: (paths) => applied.push(paths),
      calls: { record: record ?? (async (call) => void rows.push(call)) },
      clock: systemClock,
      newId,
      log,
    });
    let attempts = 0;
    const by = (): AskContext => ({
      reqId: newId('req'),
      tool: 'chat',
      caller: { principal: 'local', scopes: ['*'], roots: [] },
      deadline: deadlineIn(systemClock, 60_000),
      signal: new AbortController().signal,
      category: 'balanced',
      nextAttempt: () => (attempts += 1),
    });
    const ask = (content = 'What is a monad?') =>
      models.manager.ask({ messages: [{ role: 'user', content }] }, by());
    return { write, settings, secrets, models, reloader, prepared, applied, rows, log, ask };
  }

  verifies(
    'reload:start',
    'at the end of a start applies what changed meanwhile, and only that',
    async () => {
      const { write, settings, reloader, applied, log } = await createRig();
      await reloader.reloadIfChanged('start');
      expect(applied).toEqual([]);
      const mcpServers = { notes: { url: 'https://notes.example/mcp' } };
      write({ routing: { classify: false }, mcpServers });
      await reloader.reloadIfChanged('start');
      expect(applied).toHaveLength(1);
      expect(Object.keys(settings.current().config.mcpServers)).toEqual(['notes']);
      write({ limits: { global: 'many' } });
      await reloader.reloadIfChanged('start');
      expect(applied).toHaveLength(1);
      expect(JSON.stringify(log.lines)).toContain('settings_not_reloaded');
    },
  );

  verifies('reload:load', 'during 200 calls loses none, and closes what it replaced', async () => {
    const { write, models, reloader, ask } = await createRig();
    // More than the calls, so that none has to queue.
    const limits = (global: number) => ({ limits: { global, glm: 300 } });
    write(limits(400));
    await reloader.reload('unix');
    const asks: Promise<{ readonly provider: string }>[] = [];
    for (let round = 0; round < 10; round++) {
      asks.push(...Array.from({ length: 20 }, () => ask()));
      write(limits(300 + round), `emulated.secret00${round % 2 === 0 ? 17 : 27}`);
      await reloader.reload('unix');
    }
    const answers = await Promise.all(asks);
    expect(answers.map(({ provider }) => provider)).toEqual(Array(200).fill('glm'));
    await expect.poll(() => models.draining).toBe(0);
  });

  verifies('reload:load', 'leaves nothing behind, however often it is repeated', async () => {
    const { write, models, reloader, ask } = await createRig();
    const change = async (number: number) => {
      write({}, `emulated.secret${1000 + (number % 2)}`);
      await reloader.reload('unix');
    };
    await change(1);
    await ask();
    const before = process.getActiveResourcesInfo().length;
    for (let number = 0; number < caseCount(100, 1000); number++) {
      await change(number);
      if (number % 25 === 0) await ask();
    }
    await expect.poll(() => models.draining).toBe(0);
    await expect
      .poll(() => process.getActiveResourcesInfo().length)
      .toBeLessThanOrEqual(before + 4);
  });

  test('runs one at a time, and requests that wait share the next one', async () => {
    const { write, reloader, prepared } = await createRig();
    write({ limits: { global: 31 } });
    const answers = await Promise.all(Array.from({ length: 50 }, () => reloader.reload('signal')));
    expect(answers.filter(({ applied }) => applied.length > 0).length).toBe(1);
    expect(prepared).toHaveLength(1);
  });

  verifies('reload:invalid', 'changes nothing where a setting is invalid', async () => {
    const { write, settings, reloader, log, ask } = await createRig();
    const before = settings.current();
    write({ limits: { global: 'many' }, tools: { profile: 'full' } });
    await expect(reloader.reload('unix')).rejects.toThrow(
      /limits\.global must be.*config\.json:1:/,
    );
    expect(settings.current()).toBe(before);
    expect(log.lines.at(-1)?.event).toBe('settings_not_reloaded');
    expect((await ask()).provider).toBe('glm');
  });

  test('that cannot be recorded changes nothing', async () => {
    const { write, settings, models, reloader } = await createRig(async () => {
      throw new Error('the disk is full');
    });
    const before = settings.current();
    write({}, 'emulated.secret9999');
    await expect(reloader.reload('unix')).rejects.toThrow('Something failed inside EX-AI');
    expect(settings.current()).toBe(before);
    expect(models.draining).toBe(0);
  });

  verifies(
    'reload:secrets',
    'masks the new key before it is used, and the old one after',
    async () => {
      const { write, reloader, prepared, secrets, rows, log } = await createRig();
      write({}, 'emulated.secret7777');
      await reloader.reload('unix');
      expect(prepared[0]).toEqual(expect.arrayContaining(['emulated.secret7777']));
      expect(secrets.texts()).toEqual(
        expect.arrayContaining(['emulated.secret0002', 'emulated.secret7777']),
      );
      expect(rows.map(({ tool }) => tool)).toContain('config_reload:providers.glm.apiKey');
      expect(JSON.stringify([rows, log.lines])).not.toMatch(/secret0002|secret7777/);
    },
  );

  verifies('reload:secrets', 'hides the old key in answers, too', async () => {
    const { write, reloader, ask } = await createRig();
    write({ routing: { classify: false } }, 'emulated.secret7777');
    await reloader.reload('unix');
    const { text } = await ask('Say exactly: emulated.secret0002 or emulated.secret7777');
    expect(text).toBe('[secret] or [secret]');
  });

  verifies('config:applies', 'applies what it can and names the rest', async () => {
    const { write, settings, reloader, applied, prepared } = await createRig();
    write({ routing: { classify: false }, port: 4242, tools: { profile: 'full' } });
    const answer = await reloader.reload('unix');
    expect(answer).toEqual({
      applied: ['tools.profile'],
      restart: [{ path: 'port', reason: 'listener' }],
    });
    expect(applied).toEqual([['tools.profile']]);
    // The models do not depend on it.
    expect(prepared).toEqual([]);
    const { config } = settings.live;
    expect([config.tools.profile, config.port]).toEqual(['full', 8765]);
    expect((await reloader.reload('unix')).restart).toEqual(answer.restart);
  });

  test('ends the cool-downs of a replaced account', async () => {
    const { write, models, reloader, ask } = await createRig();
    emulator.fault({ id: 'F16', vendor: 'glm', times: 0 });
    await ask().catch(() => undefined);
    expect(models.breakers.all().some(({ key, is }) => key === 'glm' && is !== 'closed')).toBe(
      true,
    );
    emulator.clearFaults();
    write({ routing: { classify: false } }, 'emulated.secret4444');
    await reloader.reload('unix');
    expect(models.breakers.all()).toEqual([]);
    expect((await ask()).provider).toBe('glm');
  });

  test('uses a raised and a lowered budget at once', async () => {
    const { write, models, reloader } = await createRig();
    expect(models.budgets.left('local')).toBeUndefined();
    write({ budget: { dailyUsd: 5 } });
    await reloader.reload('unix');
    expect(models.budgets.left('local')?.leftMicroUsd).toBe(5_000_000);
    write({});
    await reloader.reload('unix');
    expect(models.budgets.left('local')).toBeUndefined();
  });

  test('is refused once the daemon stops', async () => {
    const { reloader } = await createRig();
    await reloader.close();
    await expect(reloader.reload('unix')).rejects.toThrow('The daemon is stopping.');
  });
});
