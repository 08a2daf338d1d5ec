import { describe, expect, test } from 'vitest';
import type { ChatMessage } from '#core/llm/chat.ts';
import { estimateChat } from '#models/estimate-chat.ts';
import { estimateTokens } from '#models/estimate-tokens.ts';
import { measure } from './measure.ts';

const user = (content: string): ChatMessage => ({ role: 'user', content });

describe('measuring a request', () => {
  test('equals the estimate of the whole', () => {
    const messages = [user('Hello'), { role: 'assistant', content: 'Hi.' } as const, user('Why?')];
    const tools = [{ name: 'look', description: 'Looks.', parameters: { type: 'object' } }];
    expect(measure({ messages, tools }).tokens).toBe(estimateChat(messages, tools));
    const system = 'Be brief.';
    expect(measure({ system, messages }).tokens).toBe(
      estimateChat([{ role: 'system', content: system }, ...messages]),
    );
    expect(measure({ system: ' \n', messages }).tokens).toBe(estimateChat(messages));
  });

  test('counts files separately, with their frames', () => {
    const files = [{ name: 'a.md', text: 'word '.repeat(1_000) }];
    const { tokens, fileTokens } = measure({ messages: [user('Why?')], files });
    expect(fileTokens).toBeGreaterThan(estimateTokens(files[0]?.text ?? ''));
    expect(fileTokens).toBeLessThan(1_100);
    expect(tokens).toBeGreaterThan(fileTokens);
    expect(measure({ messages: [user('Why?')] }).fileTokens).toBe(0);
  });

  test('counts the schema of the answer, however deep', () => {
    let schema = {};
    for (let level = 0; level < 50_000; level++) schema = { items: schema };
    const messages = [user('Why?')];
    const responseFormat = { type: 'json_schema', name: 'x', schema } as const;
    expect(measure({ messages, responseFormat }).tokens).toBeGreaterThan(50_000);
  });

  test('looks no further back than any window goes', () => {
    const asked = user('And now?');
    const picture = { type: 'image', source: { url: 'https://example.org/a.png' } } as const;
    const old: ChatMessage = { role: 'user', content: Array.from({ length: 20 }, () => picture) };
    let reads = 0;
    const watched = new Proxy(
      Array.from({ length: 1_000 }, (): ChatMessage => old),
      {
        get(target, key, receiver) {
          reads += typeof key === 'string' && /^\d+$/.test(key) ? 1 : 0;
          return Reflect.get(target, key, receiver) as unknown;
        },
      },
    );
    watched.push(asked);
    reads = 0;
    const { tokens, history } = measure({ messages: watched });
    expect(tokens).toBeGreaterThan(2_000_000);
    expect(tokens).toBeLessThan(2_050_000);
    expect(history.uncounted).toBeGreaterThan(850);
    expect(reads).toBeLessThan(1_000);
  });

  test('recognises leading system messages, and never the question', () => {
    const rules: ChatMessage = { role: 'system', content: 'Rules.' };
    expect(measure({ messages: [rules, rules, user('Why?')] }).opening).toEqual([rules, rules]);
    expect(measure({ messages: [rules] }).opening).toEqual([]);
    expect(measure({ messages: [] }).tokens).toBe(estimateChat([]));
  });
});
