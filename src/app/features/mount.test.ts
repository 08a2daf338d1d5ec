import { expect, test } from 'vitest';
import { createTestCalls, probeTool, settled, type TestCalls } from '#calls/calls.fixture.ts';
import type { AdminMethods } from '#transport/admin/admin-methods.ts';
import { createLifecycle } from '../daemon/lifecycle.ts';
import type { Endpoint } from '#transport/http/endpoint-dispatcher.ts';
import type { Feature, MountFeature } from './feature.ts';
import { mountFeatures } from './mount.ts';

function setUp() {
  const calls = createTestCalls([]);
  const lifecycle = createLifecycle(calls.clock);
  const methods: AdminMethods[] = [];
  const addMethods = (more: AdminMethods) => void methods.push(more);
  const endpoints: Endpoint[] = [];
  const addEndpoints = (more: readonly Endpoint[]) => void endpoints.push(...more);
  const mountAll = (features: readonly MountFeature<TestCalls>[]) =>
    mountFeatures(features, calls, { addMethods, addEndpoints, lifecycle });
  const mount = (...features: readonly Feature[]) =>
    mountAll(features.map((feature) => () => feature));
  return { ...calls, lifecycle, methods, endpoints, mount, mountAll };
}

test('a feature finds the tools of earlier features, and in a call those of all', async () => {
  const { calls, mountAll } = setUp();
  const { tool } = probeTool();
  const seen: string[][] = [];
  const named =
    (name: string): MountFeature<TestCalls> =>
    async ({ registry }) => {
      seen.push(registry.all().map((each) => each.name));
      return { name, tools: [{ ...tool, name }] };
    };
  await mountAll([named('one'), named('two')]);
  expect(seen).toEqual([[], ['one']]);
  expect(calls.find('two')?.name).toBe('two');
});

test('a feature with only a name adds nothing', async () => {
  const { registry, content, methods, mount } = setUp();
  await mount({ name: 'empty' });
  expect([registry.size, content.operations(), content.all('resources')]).toEqual([0, [], []]);
  expect(methods).toEqual([{}]);
});

test('endpoints are collected, and a path belongs to one feature', async () => {
  const { endpoints, mount } = setUp();
  const served = { path: '/here', handle: () => undefined, refuse: () => undefined };
  await mount({ name: 'one', endpoints: [served] });
  expect(endpoints).toEqual([served]);
  await expect(mount({ name: 'a', endpoints: [served, served] })).rejects.toThrow('/here');
});

test('drains are awaited one after the other, the last feature first', async () => {
  const { lifecycle, mount } = setUp();
  const seen: string[] = [];
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const draining = (name: string, until = Promise.resolve()): Feature => ({
    name,
    async drain() {
      seen.push(`${name} begins`);
      await until;
      seen.push(`${name} ends`);
    },
  });
  await mount(draining('one'), { name: 'two' }, draining('three', held));
  const stopped = lifecycle.stop(() => undefined);
  await settled();
  expect(seen).toEqual(['three begins']);
  release();
  await stopped;
  expect(seen).toEqual(['three begins', 'three ends', 'one begins', 'one ends']);
});

test('a drain that fails is reported under the name of its feature, and the others are drained', async () => {
  const { lifecycle, mount } = setUp();
  const seen: string[] = [];
  const fails = { name: 'two', drain: () => Promise.reject(new Error('it broke')) };
  await mount({ name: 'one', drain: async () => void seen.push('one') }, fails);
  await lifecycle.stop((part, error) => seen.push(`${part}: ${error.class}`));
  expect(seen).toEqual(['two feature: internal', 'one']);
});

test('the features before one that cannot start are drained when the start is undone', async () => {
  const { lifecycle, mountAll } = setUp();
  const seen: string[] = [];
  const one = () => ({ name: 'one', drain: async () => void seen.push('one') });
  const two = () => Promise.reject(new Error('it cannot start'));
  await expect(mountAll([one, two])).rejects.toThrow('it cannot start');
  await lifecycle.stop(() => undefined);
  expect(seen).toEqual(['one']);
});

test.each([
  ['name', { name: 'one' }, 'one'],
  ['admin method', { name: 'two', adminMethods: { 'exai/x': async () => 2 } }, 'exai/x'],
])('two features with one %s are refused', async (_what, second, named) => {
  const { mount } = setUp();
  const first: Feature = { name: 'one', adminMethods: { 'exai/x': async () => 1 } };
  await expect(mount(first, second)).rejects.toMatchObject({
    class: 'internal',
    message: `Two features have the name "${named}".`,
  });
});
