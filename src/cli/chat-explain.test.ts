import { expect, test } from 'vitest';
import { explainAnswer } from './chat-explain.ts';
import { plain } from './paint.ts';

test('an explanation names who answered, by which rule, and how each attempt went', () => {
  const text = explainAnswer(
    {
      status: 'success',
      provider: 'kimi',
      model: 'kimi-k2.6',
      route: {
        class: 'chat',
        rule: 'simple-tool',
        because: ['Rule 12: it is a simple tool.', 'A \u001b[31mred\u001b[0m reason.'],
        attempts: [
          {
            attempt: 1,
            provider: 'glm',
            model: 'glm-4.7-flash',
            elapsed_ms: 2_040,
            outcome: 'timeout',
            because: 'No word within 2 seconds.',
          },
          { attempt: 2, provider: 'kimi', model: 'kimi-k2.6', elapsed_ms: 900, outcome: 'ok' },
        ],
        notices: ['A file was left out.'],
        seams: [{ at: 120, provider: 'kimi', model: 'kimi-k2.6' }],
      },
    },
    plain,
  );
  expect(text.split('\n')).toEqual([
    'kimi-k2.6 (kimi) answered: class chat, rule simple-tool',
    '  Rule 12: it is a simple tool.',
    '  A \\u{1b}[31mred\\u{1b}[0m reason.',
    'Asked',
    '  1. glm-4.7-flash (glm) took too long after 2.0 s: No word within 2 seconds.',
    '  2. kimi-k2.6 (kimi) answered after 0.9 s',
    'Went on with the answer',
    '  kimi-k2.6 (kimi), after 120 characters',
    'Notices',
    '  A file was left out.',
  ]);
});

test('where nobody answered, or nobody was asked, that is what is said', () => {
  const route = { because: ['Nobody can.'], attempts: [] };
  expect(explainAnswer({ status: 'error', route }, plain)).toBe('Nobody answered\n  Nobody can.');
  expect(explainAnswer({ status: 'error', detail: 'The file is gone.' }, plain)).toBe(
    'No model was asked. The file is gone.',
  );
});
