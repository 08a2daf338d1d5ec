import { expect } from 'vitest';
import type { ChatRequest } from '#core/llm/chat.ts';
import { collectChat } from '../collect-chat.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import type { JsonObject } from '#core/json/json.ts';
import { verifies } from '../verifies.ts';
import { ADD, FIVE, user } from './provider-requests.ts';
import { type Suite } from './provider-suite.ts';

function nested(depth: number): JsonObject {
  let schema: JsonObject = { type: 'string' };
  for (let at = 0; at < depth; at += 1) schema = { type: 'object', properties: { a: schema } };
  return schema;
}

const BAD: readonly (readonly [string, Partial<ChatRequest>, ErrorClass, string])[] = [
  ['no message', { messages: [] }, 'validation', 'messages'],
  ['an empty message', { messages: user(' \n') }, 'validation', 'messages[0].content'],
  ['a message without parts', { messages: user([]) }, 'validation', 'messages[0].content'],
  [
    'an empty message among others',
    { messages: [{ role: 'system', content: '' }, ...user(FIVE)] },
    'validation',
    'messages[0].content',
  ],
  [
    'a result of no call',
    { messages: [...user(FIVE), { role: 'tool', toolCallId: '', content: '42' }] },
    'validation',
    'messages[1].toolCallId',
  ],
  [
    'two hundred tools',
    { tools: Array.from({ length: 200 }, (_, i) => ({ ...ADD, name: `t${i}` })) },
    'validation',
    'tools',
  ],
  ['two tools of one name', { tools: [ADD, ADD] }, 'validation', 'tools[1].name'],
  ['a tool with a bad name', { tools: [{ ...ADD, name: '$rm' }] }, 'validation', 'tools[0].name'],
  [
    'a tool that takes a text',
    { tools: [{ ...ADD, parameters: { type: 'string' } }] },
    'validation',
    'tools[0].parameters',
  ],
  [
    'a schema without a bottom',
    { tools: [{ ...ADD, parameters: nested(5000) }] },
    'validation',
    'tools[0].parameters',
  ],
  ['a tool that is not given', { toolChoice: { name: 'rm' } }, 'validation', 'toolChoice'],
  ['a call without tools', { toolChoice: 'required' }, 'validation', 'toolChoice'],
  ['no room at all', { maxOutputTokens: 0 }, 'validation', 'maxOutputTokens'],
  ['half a token', { maxOutputTokens: 0.5 }, 'validation', 'maxOutputTokens'],
  ['too many stops', { stop: Array.from({ length: 99 }, (_, i) => `s${i}`) }, 'validation', 'stop'],
  ['going on from nothing', { continuation: 'prefix' }, 'validation', 'continuation'],
];

/** Bad requests are refused before a byte is sent, with the field and the fix. */
export function badInputCases({ subject, open, provider, ask, answer }: Suite): void {
  for (const [what, change, errorClass, field] of BAD) {
    verifies('provider:bad-input', `${what} is refused by name, and nothing is sent`, async () => {
      const outcome = await ask(change);
      expect(outcome).toMatchObject({ is: 'failed', error: { class: errorClass, field } });
      expect(outcome.is === 'failed' && outcome.error.fix).toMatch(/\w/);
      expect(open().bodies()).toEqual([]);
    });
  }

  if (!subject.can.includes('prefix'))
    verifies(
      'provider:bad-input',
      'going on from a beginning is refused where it cannot',
      async () => {
        const outcome = await ask({
          continuation: 'prefix',
          messages: [...user(FIVE), { role: 'assistant', content: '2 +' }],
        });
        expect(outcome).toMatchObject({
          is: 'failed',
          error: {
            class: 'validation',
            field: 'continuation',
            fix: expect.stringMatching(/\w/) as unknown,
          },
        });
        expect(open().bodies()).toEqual([]);
      },
    );

  verifies('provider:bad-input', 'half a character is replaced, and said to be', async () => {
    const { text, notices } = await answer({ messages: user(`Say exactly: a${'\uD83D'}b`) });
    expect(text).toBe('a\uFFFDb');
    expect(notices).toMatchObject([{ code: 'characters_replaced' }]);
  });

  const { retired, otherHost } = subject;
  if (retired)
    verifies(
      'models:resolve',
      'a model that was switched off is replaced, with a notice',
      async () => {
        const { text, notices, model } = await answer({ model: retired.model });
        expect({ text, model }).toEqual({ text: '2 + 3 is 5.', model: retired.successor });
        expect(open().bodies()).toMatchObject([{ model: retired.successor }]);
        expect(notices.filter(({ code }) => code === 'model_retired')).toHaveLength(1);
      },
    );

  if (otherHost)
    verifies('provider:bad-input', 'a key of the other host is told where it belongs', async () => {
      const request = { model: subject.model, delivery: 'whole', messages: user(FIVE) } as const;
      const elsewhere = open().withKey(otherHost.key);
      const outcome = await collectChat(elsewhere.chat(request, open().context()));
      expect(outcome).toMatchObject({
        is: 'failed',
        error: { class: 'auth', fix: expect.stringContaining(otherHost.url) as unknown },
      });
    });

  if (!subject.keyless) {
    verifies(
      'provider:bad-input',
      'an unknown model is refused, with the nearest name where all are known',
      async () => {
        const outcome = await ask({ model: `${subject.model}x` });
        expect(outcome).toMatchObject({ is: 'failed', error: { class: 'not_found' } });
        if (outcome.is === 'answered') return;
        expect(outcome.error.fix).toMatch(subject.unlisted ? /listmodels/ : /exai models/);
        // OpenRouter has more models than any list of ours.
        if (subject.vendor === 'openrouter' || subject.unlisted) return;
        expect(outcome.error.message).toContain(`did you mean "${subject.model}"?`);
        expect(open().received()).toEqual([]);
      },
    );

    verifies(
      'provider:bad-input',
      'without a key it says what to set, and sends nothing',
      async () => {
        const request = { model: subject.model, delivery: 'whole', messages: user(FIVE) } as const;
        const without = open().withKey('');
        await expect(without.check(open().context())).rejects.toMatchObject({
          class: 'not_configured',
        });
        await expect(async () => {
          for await (const _ of without.chat(request, open().context()))
            throw new Error('answered');
        }).rejects.toMatchObject({
          class: 'not_configured',
          fix: expect.stringMatching(
            new RegExp(
              subject.keyFix ??
                `exai keys add ${provider().id}, or set ${provider().id.toUpperCase()}_API_KEY. Get one at https`,
            ),
          ) as unknown,
        });
        expect(open().received()).toEqual([]);
      },
    );
  }
}
