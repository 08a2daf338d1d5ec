import { describe, expect, test } from 'vitest';
import { noColor } from '../format/colors.ts';
import { describeRoute, formatChatCost, formatDailyCost } from './commands.ts';

describe('chat cost', () => {
  test('the cost of a chat says what is sure and what is not', () => {
    const spent = { answers: 0, input: 0, output: 0, microUsd: 0, unsure: 0 };
    expect(formatChatCost(spent)).toBe('This chat: nothing yet.');
    expect(formatChatCost({ ...spent, answers: 1, input: 1_200, output: 30 })).toBe(
      'This chat: 1 answer, 1,200 tokens in, 30 out, free.',
    );
    expect(formatChatCost({ answers: 3, input: 9, output: 9, microUsd: 12_300, unsure: 1 })).toBe(
      'This chat: 3 answers, 9 tokens in, 9 out, $0.0123 (1 estimated or unpriced).',
    );
  });

  test('the cost of the day says what may still be spent', () => {
    const today = {
      day: '2026-01-31',
      calls: 12,
      costMicroUsd: 340_000,
      unpriced: 2,
      estimated: 0,
      exhausted: [],
    };
    expect(formatDailyCost(today)).toBe(
      'Today (2026-01-31, UTC, all clients): 12 requests, $0.34, 2 unpriced.',
    );
    const budget = { leftMicroUsd: 660_000, because: 'a day has one dollar' };
    expect(formatDailyCost({ ...today, calls: 1, unpriced: 0, budget })).toBe(
      'Today (2026-01-31, UTC, all clients): 1 request, $0.34. $0.66 may still be spent.',
    );
  });
});

describe('chat explain', () => {
  test('an explanation names who answered, by which rule, and how each attempt went', () => {
    const text = describeRoute(
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
      noColor,
    );
    expect(text.split('\n')).toEqual([
      'kimi-k2.6 (kimi) answered: class chat, rule simple-tool',
      '  Rule 12: it is a simple tool.',
      '  A \\u{1b}[31mred\\u{1b}[0m reason.',
      'Asked',
      '  1. glm-4.7-flash (glm) took too long after 2.0 s: No word within 2 seconds.',
      '  2. kimi-k2.6 (kimi) answered after 0.9 s',
      'Continued the answer',
      '  kimi-k2.6 (kimi), after 120 characters',
      'Notices',
      '  A file was left out.',
    ]);
  });

  test('a failure, and a request without candidates, are explained as such', () => {
    const route = { because: ['Nobody can.'], attempts: [] };
    expect(describeRoute({ status: 'error', route }, noColor)).toBe(
      'No model answered\n  Nobody can.',
    );
    expect(describeRoute({ status: 'error', detail: 'The file is gone.' }, noColor)).toBe(
      'No model was asked. The file is gone.',
    );
  });
});
