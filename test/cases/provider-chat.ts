import { expect } from 'vitest';
import type { ChatEvent } from '#core/llm/chat.ts';
import { collectChat } from '../collect-chat.ts';
import type { VendorRequestRecord } from '#core/llm/provider.ts';
import { readArguments } from '#core/json/model-json.ts';
import { verifies } from '../verifies.ts';
import { ADD, user } from './provider-requests.ts';
import { answerOf, type Suite } from './provider-suite.ts';

const PERSON = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 0 } },
  required: ['name', 'age'],
  additionalProperties: false,
};

/** Words, streams, tools and shapes. */
export function chatCases({ subject, open, provider, ask, answer }: Suite): void {
  for (const delivery of ['whole', 'stream'] as const) {
    verifies('provider:cases', `answers, and counts its tokens (${delivery})`, async () => {
      const outcome = await ask({ delivery });
      const { text, usage, model } = answerOf(outcome);
      expect(outcome).toMatchObject({ is: 'answered', finish: 'stop' });
      expect(text).toBe('2 + 3 is 5.');
      expect(model).toBe(subject.model);
      expect(usage).toMatchObject({ estimated: false });
      expect(usage?.input).toBeGreaterThan(0);
      expect(usage?.output).toBeGreaterThan(0);
    });

    verifies('provider:cases', `brings every character through (${delivery})`, async () => {
      const words = 'naïve 漢字 かな 한글 🙂 «x» \\ "q" \u2028 é';
      const { text } = await answer({ delivery, messages: user(`Say exactly: ${words}`) });
      expect(text).toBe(words);
    });

    verifies('provider:cases', `calls a tool and uses what it gave (${delivery})`, async () => {
      const messages = user('Use add_numbers to add 19 and 23.');
      const first = await ask({ delivery, messages, tools: [ADD] });
      expect(first).toMatchObject({ is: 'answered', finish: 'tool_calls' });
      const { text, reasoning, reasoningDetails, toolCalls } = first.answer;
      expect(toolCalls.map(({ name }) => name)).toEqual(['add_numbers']);
      const [call] = toolCalls;
      if (!call) throw new Error('There is no call.');
      expect(readArguments(call.arguments)).toEqual({ is: 'read', value: { a: 19, b: 23 } });
      const turn = {
        role: 'assistant',
        content: text,
        reasoning,
        reasoningDetails,
        toolCalls,
      } as const;
      const result = {
        role: 'tool',
        toolCallId: call.id,
        name: call.name,
        content: 'It is 42.',
      } as const;
      const second = await ask({ delivery, tools: [ADD], messages: [...messages, turn, result] });
      expect(second).toMatchObject({
        is: 'answered',
        finish: 'stop',
        answer: { text: 'add_numbers answered: It is 42.' },
      });
      const { back } = subject.thinking;
      if (back === undefined) return;
      const told = open().bodies().at(-1)?.['messages'] as readonly Record<string, unknown>[];
      expect(reasoning).not.toBe('');
      expect(told.find(({ role }) => role === 'assistant')).toMatchObject({
        [back]: back === 'reasoning_details' ? reasoningDetails : reasoning,
      });
    });

    verifies('provider:cases', `calls several tools at once (${delivery})`, async () => {
      const messages = user(
        '[[call add_numbers {"a":1,"b":2}]] [[call add_numbers {"a":3,"b":4}]]',
      );
      const { toolCalls } = await answer({ delivery, messages, tools: [ADD] });
      expect(toolCalls.map((call) => readArguments(call.arguments))).toEqual([
        { is: 'read', value: { a: 1, b: 2 } },
        { is: 'read', value: { a: 3, b: 4 } },
      ]);
      expect(new Set(toolCalls.map(({ id }) => id)).size).toBe(2);
    });

    verifies('provider:cases', `calls the tool that it is made to call (${delivery})`, async () => {
      const other = { ...ADD, name: 'shout', description: 'Shouts.' };
      const outcome = await ask({
        delivery,
        messages: user('Call the tool add_numbers with 5 and 6.'),
        tools: [other, ADD],
        toolChoice: { name: 'add_numbers' },
      });
      expect(answerOf(outcome).toolCalls.map(({ name }) => name)).toEqual(['add_numbers']);
    });

    verifies('provider:cases', `calls none when it may not (${delivery})`, async () => {
      const messages = user('Use add_numbers to add 19 and 23.');
      const outcome = await ask({ delivery, messages, tools: [ADD], toolChoice: 'none' });
      expect(outcome).toMatchObject({ is: 'answered', finish: 'stop', answer: { toolCalls: [] } });
      expect(outcome.answer.text).not.toBe('');
    });

    verifies('provider:cases', `answers in the shape of a schema (${delivery})`, async () => {
      const { text } = await answer({
        delivery,
        messages: user('Ada is 36 years old. Give her name and age as JSON.'),
        responseFormat: { type: 'json_schema', name: 'person', schema: PERSON },
      });
      expect(JSON.parse(text)).toEqual({
        name: expect.stringMatching(/./) as unknown,
        age: 36,
      });
    });

    verifies('provider:cases', `answers with JSON when that is all (${delivery})`, async () => {
      const { text } = await answer({ delivery, responseFormat: { type: 'json' } });
      expect(JSON.parse(text)).toEqual({ answer: '2 + 3 is 5.' });
    });

    verifies('provider:cases', `says when the room was too small (${delivery})`, async () => {
      const messages = user('[[think 2]] [[tokens 200]]');
      const outcome = await ask({ delivery, messages, maxOutputTokens: 20 });
      expect(outcome).toMatchObject({ is: 'answered', finish: 'length' });
      expect(outcome.answer.text).toMatch(/^amber birch /);
      expect(outcome.answer.usage?.output).toBe(20);
    });
  }

  verifies('provider:cases', 'stops at a stop text', async () => {
    const { text } = await answer({ messages: user('[[tokens 20]]'), stop: ['ember'] });
    expect(text.trim()).toBe('amber birch cedar dune');
  });

  verifies('provider:cases', 'streams the very text that it gives whole', async () => {
    const messages = user('[[tokens 120]]');
    const whole = await answer({ messages });
    const stream = await answer({ messages, delivery: 'stream' });
    expect(stream.text).toBe(whole.text);
    expect(stream.text.split(' ')).toHaveLength(120);
    expect(stream.usage).toMatchObject({
      input: whole.usage?.input,
      output: whole.usage?.output,
      estimated: false,
    });
  });

  verifies('provider:cases', 'tells events in their order, usage and finish last', async () => {
    const kinds: ChatEvent['type'][] = [];
    const request = {
      model: subject.model,
      delivery: 'stream',
      messages: user('[[tokens 3]]'),
    } as const;
    for await (const event of provider().chat(request, open().context())) {
      const isAside = event.type === 'notice' || event.type === 'reasoning_details';
      if (!isAside && kinds.at(-1) !== event.type) kinds.push(event.type);
    }
    expect(kinds).toEqual([
      'start',
      ...(kinds.includes('reasoning') ? ['reasoning'] : []),
      'text',
      'usage',
      'finish',
    ]);
  });

  verifies('provider:cases', 'takes a conversation with its earlier turns', async () => {
    const { text } = await answer({
      messages: [
        { role: 'system', content: 'The capital of Norway is Oslo.' },
        { role: 'user', content: 'Hello there.' },
        { role: 'assistant', content: 'Hello.' },
        { role: 'user', content: 'Which city is the capital of Norway?' },
      ],
    });
    expect(text).toContain('The capital of Norway is Oslo.');
  });

  verifies('wire:vendor-ids', 'tells of each exchange, with the ids of the vendor', async () => {
    for (const delivery of ['whole', 'stream'] as const) {
      const seen: VendorRequestRecord[] = [];
      await ask({ delivery }, seen);
      expect(seen).toMatchObject([
        { provider: provider().id, operation: 'chat', status: 200, outcome: 'ok' },
      ]);
      expect(seen[0]?.model).toBe(subject.model);
      const ids = Object.values(seen[0]?.vendorIds ?? {});
      expect(ids.length > 0 && ids.every((id) => id !== '')).toBe(subject.hasIds);
    }
  });

  verifies(
    'provider:cases',
    'stops at once when it is told to, and closes the socket',
    async () => {
      const controller = new AbortController();
      open().stallAfter(subject.leadEvents + 3);
      const events = provider().chat(
        {
          model: subject.model,
          delivery: 'stream',
          messages: user('[[think 2]] [[tokens 5000]]'),
        },
        { ...open().context(), signal: controller.signal },
      );
      const outcome = await collectChat(
        (async function* () {
          for await (const event of events) {
            yield event;
            if (event.type === 'text') controller.abort(new DOMException('enough', 'AbortError'));
          }
        })(),
      );
      expect(outcome).toMatchObject({ is: 'failed', error: { class: 'cancelled' } });
      expect(outcome.answer.text).toMatch(/^amber/);
      await expect.poll(() => open().received().at(-1)?.left).toBe(true);
    },
  );

  verifies('provider:cases', 'lets go when nobody reads on', async () => {
    open().stallAfter(subject.leadEvents + 3);
    const request = {
      model: subject.model,
      delivery: 'stream',
      messages: user('[[think 2]] [[tokens 5000]]'),
    } as const;
    const seen: VendorRequestRecord[] = [];
    for await (const event of provider().chat(
      request,
      open().context((each) => seen.push(each)),
    ))
      if (event.type === 'text') break;
    await expect.poll(() => open().received().at(-1)?.left).toBe(true);
    expect(seen).toMatchObject([{ outcome: 'cancelled' }]);
  });
}
