import { expect, test } from 'vitest';
import { Config } from '#config/schema/config.schema.ts';
import type { Json } from '#core/json/json.ts';
import type { Overlay } from '#models/overlay.ts';
import { DEFAULT_ROLES, resolveRole } from '#models/roles.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { createListLog } from '../../../test/list-log.ts';
import { verifies } from '../../../test/verifies.ts';
import { baseUrlsOf, openCatalogue, type BaseUrls } from './catalogue-holder.ts';

const REAL: BaseUrls = baseUrlsOf(Config.parse({}), '');
const EMULATED: BaseUrls = { ...REAL, kimi: 'http://me:hunter2@127.0.0.1:9999/kimi/v1' };

const listed = (provider: 'kimi' | 'glm', id: string): Overlay[number] => ({
  provider,
  id,
  seenOn: '2026-11-15',
});

function createHome() {
  const stored = new Map<string, Json>();
  const log = createListLog();
  const settings = {
    get: async (name: string) => stored.get(name),
    set: async (name: string, value: Json) => void stored.set(name, value),
  };
  const open = (baseUrls: BaseUrls, cacheTtl?: '5m' | '1h') =>
    openCatalogue({
      settings,
      clock: createFakeClock(),
      log,
      baseUrls,
      ...(cacheTtl && { cacheTtl }),
    });
  return { stored, open, log };
}

test('a list is used again at the same address', async () => {
  const { open } = createHome();
  const before = await open(REAL);
  expect(before.refreshedAtMs()).toBeUndefined();
  await before.keep([listed('kimi', 'kimi-next')]);
  expect(before.catalogue().find('kimi-next')).toBeDefined();
  const after = await open(REAL);
  expect(after.catalogue().find('kimi-next')).toMatchObject({ origin: 'listed' });
  expect(after.refreshedAtMs()).toBe(before.refreshedAtMs());
});

test('a list of another address is ignored, and other lists stay', async () => {
  const { open } = createHome();
  await (await open(EMULATED)).keep([listed('kimi', 'emulated'), listed('glm', 'glm-next')]);
  const real = await open(REAL);
  expect(real.catalogue().find('emulated')).toBeUndefined();
  expect(real.catalogue().find('glm-next')).toBeDefined();
});

test('a list is used again with its address, unless the other address provided its own', async () => {
  const { open } = createHome();
  await (await open(REAL)).keep([listed('kimi', 'kimi-next')]);
  await (await open(EMULATED)).keep([listed('glm', 'glm-next')]);
  const back = await open(REAL);
  expect(back.catalogue().find('kimi-next')).toBeDefined();
  expect(back.catalogue().find('glm-next')).toBeDefined();

  await (await open(EMULATED)).keep([listed('kimi', 'emulated')]);
  expect((await open(REAL)).catalogue().overlay).toEqual([]);
  expect((await open(REAL)).refreshedAtMs()).toBeUndefined();
});

test('neither an address nor its password is stored', async () => {
  const { open, stored } = createHome();
  await (await open(EMULATED)).keep([listed('kimi', 'emulated')]);
  expect(JSON.stringify([...stored])).not.toMatch(/hunter2|127\.0\.0\.1|9999/);
  const others = { ...EMULATED, kimi: 'http://me:another@127.0.0.1:9999/kimi/v1' };
  expect((await open(others)).catalogue().find('emulated')).toBeDefined();
});

test.each<[string, Json]>([
  ['no origin', { atMs: 1, overlay: [{ provider: 'kimi', id: 'x', seenOn: '2026-11-15' }] }],
  ['a list in its place', []],
  ['a text in its place', 'damaged'],
  ['an origin of another kind', { atMs: 1, from: 'kimi', overlay: [] }],
  ['nothing', null],
])('a stored value with %s is ignored', async (_, value) => {
  const { open, stored } = createHome();
  stored.set('models.listed', value);
  const held = await open(REAL);
  expect(held.catalogue().overlay).toEqual([]);
  expect(held.refreshedAtMs()).toBeUndefined();
});

test('bigmodel.cn charges yuan, by the length of the prompt, also after a refresh', async () => {
  const { open } = createHome();
  const chinese = { ...REAL, glm: 'https://open.bigmodel.cn/api/paas/v4' };
  const holder = await open(chinese);
  const priceOf = (id: string) => holder.catalogue().find(id, 'glm')?.price;
  const glm5 = {
    // 4, 1 and 18 yuan; 6, 1.5 and 22 from 32,000 tokens on; 7.25 yuan are a dollar.
    input: 551_725,
    cached: 137_932,
    output: 2_482_759,
    tiers: [{ fromInput: 32_000, input: 827_587, cached: 206_897, output: 3_034_483 }],
    isEstimate: true,
  };
  expect(priceOf('glm-5')).toEqual(glm5);
  expect(priceOf('glm-4.7-flash')).toEqual({ input: 0, cached: 0, output: 0 });
  expect(priceOf('glm-4.5')).toMatchObject({ isEstimate: true });
  await holder.keep([listed('glm', 'glm-5')]);
  expect(priceOf('glm-5')).toEqual(glm5);
  expect((await open(REAL)).catalogue().find('glm-5', 'glm')?.price).not.toHaveProperty('tiers');
});

verifies(
  'models:catalogue',
  "a key of Kimi's coding plan has the models of the plan, which every role then uses",
  async () => {
    const config = Config.parse({ providers: { kimi: { apiKey: 'sk-kimi-0123456789' } } });
    const baseUrls = baseUrlsOf(config, '');
    expect(baseUrls.kimi).toBe('https://api.kimi.com/coding/v1');
    const catalogue = (await createHome().open(baseUrls)).catalogue();
    for (const role of ['kimiSpeed', 'kimiDefault', 'kimiQuality'] as const) {
      const { models } = resolveRole(catalogue, DEFAULT_ROLES, role);
      expect(models.map(({ plan }) => plan)).toEqual(['coding', 'coding']);
    }
  },
);

test('an hour in the cache of Kimi is asked for and charged where its price is known', async () => {
  const { open } = createHome();
  const found = async (ttl: '5m' | '1h', id: string) =>
    (await open(REAL, ttl)).catalogue().find(id, 'kimi');
  expect(await found('1h', 'kimi-k3.1-pro')).toMatchObject({
    cacheTtl: '1h',
    price: { input: 4_000_000, cached: 200_000, isEstimate: true },
  });
  expect(await found('1h', 'kimi-k3')).not.toHaveProperty('cacheTtl');
  const usual = await found('5m', 'kimi-k3.1-pro');
  expect(usual).not.toHaveProperty('cacheTtl');
  expect(usual).toMatchObject({ price: { input: 2_000_000 } });
});
