import { expect, test } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import { addedNameProblem, toAddedProviderId } from '../added.ts';
import { descriptorOf, PROVIDERS } from '../list.ts';
import { findPreset, PRESETS } from './presets.ts';

/** Servers that the emulator plays. */
const EMULATED = new Set(['ollama', 'vllm', 'llamacpp', 'lmstudio', 'anthropic']);

verifies('providers:presets', 'each preset is complete', () => {
  expect(PRESETS.length).toBeGreaterThanOrEqual(18);
  expect(new Set(PRESETS.map(({ id }) => id)).size).toBe(PRESETS.length);
  for (const preset of PRESETS) {
    const { id, baseUrl, example, keyEnv, key, quirks, state, source, models } = preset;
    expect(addedNameProblem(id)).toBeUndefined();
    expect(baseUrl || example).toMatch(/^https?:\/\/\S+[^/]$/);
    expect(source).toMatch(/^https:\/\//);
    expect(keyEnv.length > 0).toBe(key === 'required');
    expect(quirks !== undefined).toBe(key === 'required');
    if (state === 'tested') expect(EMULATED).toContain(id);
    for (const model of models) expect(model.asOf).toMatch(/^\d{4}-\d\d-\d\d$/);
  }
});

verifies('providers:names', 'names of EX-AI and of object members are refused', () => {
  for (const { id } of PROVIDERS) expect(addedNameProblem(id)).toBe('reserved');
  for (const name of ['', '__proto__', 'a b', 'A', '1a', 'a/b', 'a.b', '-a', 'ä', 'a'.repeat(41)])
    expect(addedNameProblem(name)).toBe('shape');
  // A name that every object inherits is a name like another, and finds nothing.
  expect(toAddedProviderId('constructor')).toBe('constructor');
  expect(findPreset('constructor')).toBeUndefined();
  expect(findPreset('__proto__')).toBeUndefined();
});

test('a provider that was added has a descriptor by its name alone', () => {
  const id = toAddedProviderId('deepseek');
  expect(id && descriptorOf(id)).toMatchObject({ title: 'DeepSeek', needs: 'key' });
  const own = toAddedProviderId('mybox');
  expect(own && descriptorOf(own)).toMatchObject({ title: 'mybox', needs: 'address' });
});
