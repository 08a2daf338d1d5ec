import { expect, test } from 'vitest';
import { user } from '../client.fixture.ts';
import { useGlm } from './glm.fixture.ts';

const { chat } = useGlm();

const THOUGHTS = 'A long thought about the weather of this city. '.repeat(40);
const CALL = { id: 'c1', type: 'function', function: { name: 'look_up', arguments: '{}' } };
const RESULT = { role: 'tool', tool_call_id: 'c1', content: 'Rain.' };
const turn = (thoughts: string) => ({
  role: 'assistant',
  content: '',
  reasoning_content: thoughts,
  tool_calls: [CALL],
});

/** The tokens that the thoughts of the tool turn take in the prompt. */
async function tokensOfThoughts(after: readonly object[], more: object = {}): Promise<number> {
  const promptWith = async (thoughts: string) => {
    const messages = [user('How is the weather?'), turn(thoughts), ...after];
    const { json } = await chat({ model: 'glm-4.7', messages, ...more });
    return json.usage.prompt_tokens as number;
  };
  return (await promptWith(THOUGHTS)) - (await promptWith(''));
}

test('the reasoning of a tool turn is seen until the next message of the user [facts:glm:interleaved-thinking]', async () => {
  expect(await tokensOfThoughts([RESULT])).toBeGreaterThan(100);
  expect(await tokensOfThoughts([RESULT, user('Go on.')])).toBe(0);
  expect(await tokensOfThoughts([RESULT], { thinking: { type: 'disabled' } })).toBe(0);
});

test('clear_thinking false keeps all reasoning, from 4.7 on [facts:glm:preserved-thinking]', async () => {
  const thinking = { type: 'enabled', clear_thinking: false };
  const after = [RESULT, user('Go on.')];
  expect(await tokensOfThoughts(after, { thinking })).toBeGreaterThan(100);
  expect(await tokensOfThoughts(after, { thinking, model: 'glm-5.3' })).toBeGreaterThan(100);
  expect(await tokensOfThoughts(after, { thinking, model: 'glm-4.6' })).toBe(0);
  expect(await tokensOfThoughts(after, { thinking: { ...thinking, clear_thinking: true } })).toBe(
    0,
  );
});
