import { expect, test } from 'vitest';
import { tempHome } from '../../temp-home.fixture.ts';
import { gateway } from './gateway.schema.ts';

test('everything has a default, and names of Claude models are routed automatically', () => {
  expect(gateway.parse(undefined)).toEqual({
    enabled: true,
    timeoutMs: 600_000,
    headHoldMs: 10_000,
    maxBodyBytes: 33_554_432,
    models: ['claude-*=auto'],
  });
});

test('a variable has several names, and an empty list is one', () => {
  const it = tempHome();
  const models = (text: string) => it.load({ EXAI_GATEWAY_MODELS: text }).config.gateway.models;
  expect(models('gpt-4o=kimi-k3, claude-*=auto')).toEqual(['gpt-4o=kimi-k3', 'claude-*=auto']);
  it.write('config.json', '{"gateway": {"models": [], "enabled": false}}');
  expect(it.load().config.gateway).toMatchObject({ models: [], enabled: false });
});

test.each([
  'claude-*=auto',
  '*=auto',
  'gpt-4o=kimi-k3',
  'openai/gpt-4o=moonshotai/kimi-k3',
  'text-embedding-*=embedding-3',
  'a=qwen3:8b',
])('%j is a valid alias', (entry) => {
  expect(gateway.parse({ models: [` ${entry} `] }).models[0]).toBe(entry);
});

test('what is set comes before the usual meaning, which stays unless the list is empty', () => {
  const models = (...entries: string[]) => gateway.parse({ models: entries }).models;
  expect(models('gpt-4o=kimi-k3')).toEqual(['gpt-4o=kimi-k3', 'claude-*=auto']);
  expect(models('claude-*=kimi-k3')).toEqual(['claude-*=kimi-k3', 'claude-*=auto']);
  expect(models('claude-*=claude-*')).toEqual(['claude-*=claude-*', 'claude-*=auto']);
  expect(models('claude-*=auto', '*=glm-5.3')).toEqual(['claude-*=auto', '*=glm-5.3']);
  expect(models()).toEqual([]);
});

test.each([
  'claude-*',
  '=auto',
  'claude-*=',
  'a=b=c',
  'a b=auto',
  'a=b c',
  'a,b=c',
  'a=b;c=d',
  'a=b;',
  ';a=b',
  'a\n=b',
  5,
  null,
])('%j is refused', (entry) => {
  expect(gateway.safeParse({ models: [entry] }).success).toBe(false);
});

test('a wrong entry is refused with a plain message', () => {
  expect(tempHome().refusal({ EXAI_GATEWAY_MODELS: 'claude-*=auto,gpt-4o' })).toContain(
    'gateway.models[1] must be a name or a pattern and what it means, such as claude-*=auto',
  );
});

test('entries with another separator are refused with a hint to commas', () => {
  expect(tempHome().refusal({ EXAI_GATEWAY_MODELS: 'gpt-4o=auto;o3=auto' })).toContain(
    'such as claude-*=auto (several are separated by commas)',
  );
});
