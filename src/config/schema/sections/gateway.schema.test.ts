import { expect, test } from 'vitest';
import { tempHome } from '../../temp-home.fixture.ts';
import { gateway, USUAL_ALIASES } from './gateway.schema.ts';

test('everything has a default, and names of well-known models are routed automatically', () => {
  expect(gateway.parse(undefined)).toEqual({
    enabled: true,
    timeoutMs: 600_000,
    headHoldMs: 10_000,
    maxBodyBytes: 33_554_432,
    maxFileBytes: 100_000_000,
    aliases: USUAL_ALIASES,
    idempotencyMs: 600_000,
    cacheMs: 0,
  });
});

test('a variable has several names, and an empty list is one', () => {
  const it = tempHome();
  const models = (text: string) => it.load({ EXAI_GATEWAY_ALIASES: text }).config.gateway.aliases;
  expect(models('gpt-4o=kimi-k3, a=b').slice(0, 2)).toEqual(['gpt-4o=kimi-k3', 'a=b']);
  it.write('config.json', '{"gateway": {"aliases": [], "enabled": false}}');
  expect(it.load().config.gateway).toMatchObject({ aliases: [], enabled: false });
});

test.each([
  'claude-*=auto',
  '*=auto',
  'gpt-4o=kimi-k3',
  'openai/gpt-4o=moonshotai/kimi-k3',
  'text-embedding-*=embedding-3',
  'a=qwen3:8b',
])('%j is a valid alias', (entry) => {
  expect(gateway.parse({ aliases: [` ${entry} `] }).aliases[0]).toBe(entry);
});

test('what is set comes before the usual meaning, which stays unless the list is empty', () => {
  const models = (...entries: string[]) => gateway.parse({ aliases: entries }).aliases;
  expect(models('gpt-4o=kimi-k3')).toEqual(['gpt-4o=kimi-k3', ...USUAL_ALIASES]);
  expect(models('claude-*=claude-*')).toEqual(['claude-*=claude-*', ...USUAL_ALIASES]);
  const others = USUAL_ALIASES.filter((usual) => usual !== 'claude-*=auto');
  expect(models('claude-*=auto', '*=glm-5.3')).toEqual(['claude-*=auto', '*=glm-5.3', ...others]);
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
  expect(gateway.safeParse({ aliases: [entry] }).success).toBe(false);
});

test('a wrong entry is refused with a plain message', () => {
  expect(tempHome().refusal({ EXAI_GATEWAY_ALIASES: 'claude-*=auto,gpt-4o' })).toContain(
    'gateway.aliases[1] must be a name or a pattern and what it means, such as claude-*=auto',
  );
});

test('entries with another separator are refused with a hint to commas', () => {
  expect(tempHome().refusal({ EXAI_GATEWAY_ALIASES: 'gpt-4o=auto;o3=auto' })).toContain(
    'such as claude-*=auto (several are separated by commas)',
  );
});
