import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Conversation } from '#core/stores/conversations.ts';
import { openThreads, type OpenedThreads } from '../../../test/open-threads.ts';
import { createTestDirectory } from '../reporting/model-directory.fixture.ts';
import { completeModels } from './completion.ts';
import { ANN, NO_THREADS, showPrompts } from './prompts.fixture.ts';

describe('models', () => {
  const { complete } = showPrompts();

  test('are those that can be asked, auto first', async () => {
    expect(await complete('chat', 'model', '')).toEqual(['auto', 'kimi-k3']);
    expect(await complete('debug', 'model', 'K')).toEqual(['kimi-k3']);
    expect(await complete('debug', 'model', 'glm')).toEqual([]);
    expect(await complete('debug', 'model', 'kimi-old')).toEqual([]);
  });

  test('are found by any of their names, each once', () => {
    const modelDirectory = createTestDirectory();
    const [first] = modelDirectory.models();
    if (!first) throw new Error('there is no model');
    const model = (id: string, aliases: string[]) => ({
      ...first,
      model: { ...first.model, id, aliases },
    });
    const models = () => [
      model('vendor/big', ['large']),
      model('small', []),
      model('vendor/big', []),
      model('very-small', ['tiny']),
    ];
    const named = (value: string) => completeModels({ models })(value, {}, ANN);
    expect(named('sma')).toEqual(['small', 'very-small']);
    expect(named('LARGE')).toEqual(['vendor/big']);
    expect(named('tin')).toEqual(['very-small']);
    expect(named(' big ')).toEqual(['vendor/big']);
    expect(named('')).toEqual(['auto', 'vendor/big', 'small', 'very-small']);
    expect(named('x'.repeat(100_000))).toEqual([]);
  });

  test('of a list are completed one after the other, and none twice', async () => {
    expect(await complete('consensus', 'models', '')).toEqual(['kimi-k3']);
    expect(await complete('consensus', 'models', 'glm-5.3,ki')).toEqual(['glm-5.3, kimi-k3']);
    expect(await complete('consensus', 'models', 'Kimi-K3, ki')).toEqual([]);
  });
});

describe('choices', () => {
  const { complete } = showPrompts();

  test('are those of the tool’s schema', async () => {
    expect(await complete('chat', 'thinking_mode', '')).toEqual([
      'minimal',
      'low',
      'medium',
      'high',
      'max',
    ]);
    expect(await complete('chat', 'thinking_mode', 'm')).toEqual(['minimal', 'medium', 'max']);
    expect(await complete('tracer', 'trace_mode', 'DEP')).toEqual(['dependencies']);
    expect(await complete('codereview', 'review_type', 'sec')).toEqual(['security']);
    expect(await complete('codereview', 'review_type', '__proto__')).toEqual([]);
  });

  test('every argument that is a choice has some', async () => {
    const { prompts } = showPrompts();
    for (const { name, arguments: args } of prompts) {
      for (const argument of args.filter(({ complete: has }) => has !== undefined)) {
        if (argument.name === 'continuation_id') continue;
        expect(await complete(name, argument.name, '')).not.toEqual([]);
      }
    }
  });

  test('free text is not completed', async () => {
    expect(await complete('chat', 'prompt', 'w')).toEqual([]);
    expect(await complete('chat', 'files', 's')).toEqual([]);
  });
});

describe('conversations', () => {
  let at: OpenedThreads;
  beforeAll(async () => {
    at = await openThreads();
  });
  afterAll(() => at.close());

  async function begin(about: string, principal = 'ann'): Promise<string> {
    at.clock.advance(1_000);
    const thread = await at.threads.open({ principal, id: undefined, about });
    await thread.append([{ role: 'user', tool: 'chat', content: about }]);
    return thread.id;
  }

  test('are the caller’s own, newest first, by id prefix or words of the title', async () => {
    const login = await begin('Fix the login bug');
    const foreign = await begin('Fix the login of Bob', 'bob');
    const cache = await begin('Cache: grows without bound');
    const ask = (value: string) =>
      showPrompts(at.threads).complete('debug', 'continuation_id', value);
    expect(await ask('')).toEqual([cache, login]);
    expect(await ask('conv_')).toEqual([cache, login]);
    expect(await ask(cache.slice(0, 16).toUpperCase())).toEqual([cache]);
    expect(await ask('LOGIN fix')).toEqual([login]);
    expect(await ask('bound')).toEqual([cache]);
    expect(await ask('bob')).toEqual([]);
    expect(await ask(foreign)).toEqual([]);
    expect(await ask('%')).toEqual([]);
    expect(await ask(' '.repeat(500))).toEqual([cache, login]);
  });

  test('are at most a hundred', async () => {
    for (let n = 0; n < 110; n++) await begin(`Thread ${n}`, 'cid');
    const shown = showPrompts(at.threads, 'full', { ...ANN, principal: 'cid' });
    const found = await shown.complete('continue', 'continuation_id', 'thread');
    expect(found).toHaveLength(100);
    expect(await shown.complete('continue', 'continuation_id', 'thread 10')).toHaveLength(11);
  });

  test('are read once while the user types, and again after a moment', async () => {
    let reads = 0;
    const list = async () => {
      reads += 1;
      return [] as Conversation[];
    };
    const shown = showPrompts({ ...NO_THREADS, list });
    for (const value of ['a', 'ab', 'abc']) await shown.complete('chat', 'continuation_id', value);
    await shown.complete('debug', 'continuation_id', 'a');
    expect(reads).toBe(1);
    shown.clock.advance(2_000);
    expect(shown.clock.waiting).toBe(0);
    await shown.complete('chat', 'continuation_id', 'a');
    expect(reads).toBe(2);
  });

  test('are none when they cannot be had, or not in time', async () => {
    const failing = showPrompts({ ...NO_THREADS, list: () => Promise.reject(new Error('down')) });
    expect(await failing.complete('chat', 'continuation_id', '')).toEqual([]);
    const hanging = showPrompts({ ...NO_THREADS, list: () => new Promise(() => {}) });
    const found = hanging.complete('chat', 'continuation_id', '');
    hanging.clock.advance(2_000);
    expect(await found).toEqual([]);
  });
});
