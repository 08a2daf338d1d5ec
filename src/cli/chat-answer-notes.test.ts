import { expect, test } from 'vitest';
import { answerNotes } from './chat-answer-notes.ts';

const usage = { input: 10, output: 2, cached: 0, reasoning: 0, cost_usd: 0, estimated: false };
const answered = { attempt: 1, provider: 'glm', model: 'glm-5.3', elapsed_ms: 9 } as const;

test('below an answer stands who gave it and what it took, and no reasons unless something failed', () => {
  const route = { because: ['Rule 12.'], attempts: [{ ...answered, outcome: 'ok' as const }] };
  const envelope = { status: 'success', provider: 'glm', model: 'glm-5.3', usage, route };
  expect(answerNotes(envelope)).toEqual(['glm-5.3 (glm); 10 tokens in, 2 out; free']);
  const failed = { ...answered, model: 'glm-4.7-flash', outcome: 'timeout' as const };
  const after = { ...envelope, route: { ...route, attempts: [failed, ...route.attempts] } };
  expect(answerNotes(after)).toEqual([
    'glm-5.3 (glm): glm-4.7-flash was to answer but took too long; 2 attempts; 10 tokens in, 2 out; free',
  ]);
});

test('notices come first, each once, unless the answer shows them', () => {
  const one = { code: 'text', params: { text: 'One.' } };
  const two = { code: 'text', params: { text: 'Two.' } };
  const route = {
    because: [],
    attempts: [],
    notices: ['One.', 'One.', 'Two.'],
    notice_data: [one, one, two],
  };
  const continuation = { id: 'conv_x', remaining_turns: 2, note: '' };
  const answered = { status: 'success', model: 'm', route, continuation, notice_data: [two] };
  expect(answerNotes(answered)).toEqual([
    'One.',
    '2 more messages fit into this conversation; /new begins another.',
    'm',
  ]);
  expect(answerNotes({ continuation: { ...continuation, remaining_turns: 0 } })).toEqual([
    'This conversation is full; /new begins another.',
  ]);
});

test('an answer that no model gave says so', () => {
  const route = { because: [], attempts: [] };
  expect(answerNotes({ status: 'degraded', route })).toEqual([
    'No model was asked, so what was given is quoted.',
  ]);
});
