import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSecret } from '#core/secrets/secret.ts';
import { verifies } from '../../../test/verifies.ts';
import { delta, KEY, sse, clientTo } from './streaming-request.fixture.ts';
import { createKeyRedactor } from './redact-keys.ts';

const OTHER = 'other-provider-key-42';
const filter = createKeyRedactor([createSecret(KEY), createSecret(OTHER), createSecret('abc')]);
const json = { 'content-type': 'application/json' };

/** Every way to cut a text in two. */
const halves = (text: string) =>
  Array.from({ length: text.length + 1 }, (_, at) => [text.slice(0, at), text.slice(at)] as const);

describe('a stream of text', () => {
  test.each(halves(KEY))('%s|%s is hidden as one', (one, two) => {
    const stream = filter.stream();
    const told = stream.take(`a ${one}`) + stream.take(`${two} b`) + stream.flush();
    expect(told).toBe('a [secret] b');
  });

  test('is hidden as a whole does, however it comes in pieces', () => {
    const part = fc.constantFrom(KEY, OTHER, 'sk-', 'sk-0123', 'other-', 'abc', ' ', 'word', 's');
    fc.assert(
      fc.property(fc.array(part), fc.array(fc.nat(12)), (parts, cuts) => {
        const text = parts.join('');
        const stream = filter.stream();
        let told = '';
        let at = 0;
        for (const length of cuts) {
          told += stream.take(text.slice(at, at + length));
          at += length;
        }
        told += stream.take(text.slice(at)) + stream.flush();
        expect(told).toBe(filter.redact(text));
        expect(told).not.toContain(KEY);
        expect(told).not.toContain(OTHER);
      }),
    );
  });

  test('that does not begin a key is passed on at once', () => {
    const stream = filter.stream();
    expect(stream.take('nothing to wait for')).toBe('nothing to wait for');
    expect(stream.take(' an asker')).toBe(' an asker');
  });

  test('waits with what may begin a key, and no longer than that', () => {
    const stream = filter.stream();
    expect(stream.take('a sk-01')).toBe('a ');
    expect(stream.take('24')).toBe('sk-0124');
  });

  test('redacts the rest of a key whose beginning was passed on', () => {
    const stream = filter.stream();
    expect(stream.take('sk-0123')).toBe('');
    expect(stream.flush()).toBe('sk-0123');
    expect(stream.flush()).toBe('');
    expect(stream.take(`${KEY.slice(7)}!`)).toBe('[secret]!');
  });

  test('is not searched for keys that are too short', () => {
    expect(filter.redact('abcabc')).toBe('abcabc');
  });
});

describe('an answer that holds the key', () => {
  const keys = { otherKeys: [createSecret(OTHER)] };
  const said = `your key is ${KEY}, the other ${OTHER}.`;
  const hidden = 'your key is [secret], the other [secret].';

  verifies('security:answer-keys', 'is hidden wherever the stream is cut', async () => {
    for (const size of [1, 2, 3, 7, 16, 100]) {
      const pieces = said.match(new RegExp(`.{1,${size}}`, 'g')) ?? [];
      const chunks = [
        ...pieces.map((reasoning_content) => delta({ reasoning_content })),
        ...pieces.map((text) => delta({ reasoning_details: [{ type: 'reasoning.text', text }] })),
        ...pieces.map((content) => delta({ content })),
        delta({ tool_calls: [{ index: 0, id: 'c', function: { name: 'add', arguments: '' } }] }),
        ...[...pieces].map((text) =>
          delta({ tool_calls: [{ index: 0, function: { arguments: text } }] }),
        ),
        delta({}, 'tool_calls'),
      ];
      const { ask } = clientTo(() => ({ pieces: sse(...chunks, '[DONE]') }), keys);
      const { answer } = await ask({ tools: ['add'] });
      const details = answer.reasoningDetails.map((each) => each['text'] as string).join('');
      const [call] = answer.toolCalls;
      expect([answer.text, answer.reasoning, details, call?.arguments], `${size}`).toEqual([
        hidden,
        hidden,
        hidden,
        hidden,
      ]);
    }
  });

  verifies('security:answer-keys', 'is hidden in a whole answer, escaped or not', async () => {
    const message = { role: 'assistant', content: said, reasoning_content: said };
    const body = JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] });
    for (const text of [body, body.replaceAll('sk-', String.raw`\u0073k\u002d`)]) {
      const { ask } = clientTo(() => ({ headers: json, pieces: [text] }), keys);
      const { answer } = await ask({ delivery: 'whole' });
      expect([answer.text, answer.reasoning]).toEqual([hidden, hidden]);
    }
  });

  verifies('security:answer-keys', 'is redacted in responses besides chat', async () => {
    const { client, context } = clientTo(() => ({ headers: json, pieces: [`{"a":"${KEY}"}`] }));
    const call = { operation: 'models', method: 'GET', path: '/models' } as const;
    const answer = await client.call(call, context);
    expect([answer.text, answer.json]).toEqual(['{"a":"[secret]"}', { a: '[secret]' }]);
  });

  verifies(
    'security:answer-keys',
    'is redacted in errors, also one of other providers',
    async () => {
      const body = JSON.stringify({
        error: { message: `The key ${OTHER} or ${KEY} was replaced.` },
      });
      const { ask } = clientTo(() => ({ status: 400, headers: json, pieces: [body] }), keys);
      const shown = JSON.stringify(await ask());
      expect(shown).toContain('The key [secret] or [secret] was replaced');
      expect(shown).not.toContain(OTHER);
    },
  );

  test('is emitted before a call, and in order', async () => {
    const call = { index: 0, id: 'c', function: { name: 'add', arguments: '{}' } };
    const { ask, events } = clientTo(() => ({
      pieces: sse(
        delta({ reasoning_content: 'thoughts' }),
        delta({ content: 'words' }),
        delta({ tool_calls: [call] }, 'tool_calls'),
      ),
    }));
    const order: string[] = [];
    for await (const event of events()) {
      if (event.type === 'text' || event.type === 'reasoning') order.push(event.text);
      if (event.type === 'tool_call') order.push('call');
    }
    expect(order).toEqual(['thought', 's', 'word', 's', 'call']);
    expect((await ask()).answer.text).toBe('words');
  });
});
