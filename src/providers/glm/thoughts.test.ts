import { describe, expect, test } from 'vitest';
import type { ChatMessage, ChatRequest, Thinking } from '#core/llm/chat.ts';
import { verifies } from '../../../test/verifies.ts';
import { requestFor, useGlmWorld } from './glm.fixture.ts';
import { joinToolTexts } from './tool-texts.ts';

const world = useGlmWorld();

const THOUGHTS = 'A long thought about the weather of this city. '.repeat(40);
const CALL = { id: 'c1', name: 'look_up', arguments: '{}' };

const talk = (reasoning: string, last: readonly ChatMessage[]): readonly ChatMessage[] => [
  { role: 'user', content: 'How is the weather?' },
  { role: 'assistant', content: '', reasoning, toolCalls: [CALL] },
  { role: 'tool', toolCallId: 'c1', content: 'Rain.' },
  ...last,
];

const TEXT: readonly ChatMessage[] = [{ role: 'user', content: 'Files changed: none.' }];

async function ask(model: string, more: Partial<ChatRequest>) {
  const outcome = await world.ask(requestFor(model, '', more));
  if (outcome.is !== 'answered') throw outcome.error;
  return { usage: outcome.answer.usage, body: world.bodies().at(-1) ?? {} };
}

/** How many tokens of the prompt the thoughts of the tool turn are, as GLM counts. */
async function seenTokens(model: string, thinking?: Thinking): Promise<number> {
  const input = async (reasoning: string) =>
    (await ask(model, { messages: talk(reasoning, TEXT), ...(thinking && { thinking }) })).usage
      ?.input ?? NaN;
  return (await input(THOUGHTS)) - (await input('.'));
}

describe('the thoughts of a tool turn, with a text after its results', () => {
  verifies('provider:facts', 'glm: models that keep thoughts are asked to by default', async () => {
    for (const model of ['glm-4.7', 'glm-5.2', 'glm-5.3']) {
      expect(await seenTokens(model)).toBeGreaterThan(100);
      const { thinking, messages } = world.bodies().at(-1) ?? {};
      expect(thinking).toEqual({ type: 'enabled', clear_thinking: false });
      expect(messages).toHaveLength(4);
    }
    expect(await seenTokens('glm-5.3', { mode: 'off' })).toBeGreaterThan(100);
    expect(await seenTokens('glm-5.3', { mode: 'on', effort: 'high' })).toBeGreaterThan(100);
  });

  verifies(
    'provider:facts',
    'glm: other models see them, as the text joins the results',
    async () => {
      for (const [model, thinking] of [
        ['glm-4.6', undefined],
        ['glm-4.5', { mode: 'on' }],
        ['glm-4.7', { mode: 'on', keep: 'none' }],
      ] as const) {
        expect(await seenTokens(model, thinking)).toBeGreaterThan(100);
        const messages = world.bodies().at(-1)?.['messages'] as { content: string }[];
        expect(messages.map(({ content }) => content)).toEqual([
          'How is the weather?',
          undefined,
          'Rain.\n\nFiles changed: none.',
        ]);
      }
    },
  );

  test('a model that does not think gets the messages as they are', async () => {
    const { body } = await ask('glm-4.7', {
      messages: talk(THOUGHTS, TEXT),
      thinking: { mode: 'off' },
    });
    expect(body['thinking']).toEqual({ type: 'disabled' });
    expect(body['messages']).toHaveLength(4);
  });

  test('a picture, and the only message of the user, stay messages', () => {
    const source = { base64: 'iVBORw0KGgo=', mediaType: 'image/png' };
    const picture: ChatMessage = { role: 'user', content: [{ type: 'image', source }] };
    expect(joinToolTexts(talk('', [picture]))).toHaveLength(4);
    expect(joinToolTexts(talk('', TEXT).slice(1))).toHaveLength(3);
  });
});

test('a conversation without thoughts sends no field about them', async () => {
  const messages: ChatMessage[] = [
    { role: 'user', content: 'Say hi.' },
    { role: 'assistant', content: 'Hi.' },
    { role: 'user', content: 'Again.' },
  ];
  const { body } = await ask('glm-5.3', { messages });
  expect(body).not.toHaveProperty('thinking');
});
