import { describe, expect, test } from 'vitest';
import { noColor, type Paint } from '../format/colors.ts';
import { buildRouteRequest, colorExplanation, buildQuestionRequest } from './explain.ts';

describe('explain request', () => {
  test.each(['chat', 'thinkdeep', 'chat_EXAI-WS', 'mcp__exai__chat', 'server/tool', 'self-check'])(
    '%s is the name of a tool',
    (tool) => {
      const args = { prompt: 'x' };
      expect(buildRouteRequest(tool, args, 'plan_only')).toEqual({ tool, args, payload: false });
    },
  );

  test.each(['What is new today?', '今天有什么新闻？', 'why?', 'a'.repeat(129)])(
    '%j is a question for chat',
    (question) => {
      expect(buildRouteRequest(question, { model: 'kimi-k3' }, 'with_payload')).toEqual({
        tool: 'chat',
        args: { model: 'kimi-k3', prompt: question },
        payload: true,
      });
    },
  );

  test('a question beside a prompt in the arguments is refused', () => {
    expect(() => buildRouteRequest('Why not?', { prompt: 'Why?' }, 'plan_only')).toThrow(
      expect.objectContaining({ class: 'bad_request', field: '--args' }),
    );
  });

  test('what is piped in is the text of a question, or the question, as when it is asked', () => {
    expect(buildRouteRequest('Why not?', { model: 'kimi-k3' }, 'plan_only', 'Because.\n')).toEqual({
      tool: 'chat',
      args: {
        model: 'kimi-k3',
        prompt: 'Why not?',
        files: [{ name: 'stdin', text: 'Because.\n' }],
      },
      payload: false,
    });
    expect(buildRouteRequest(undefined, {}, 'plan_only', 'Why not?\n').args).toEqual({
      prompt: 'Why not?',
    });
  });

  test.each([
    ['neither a tool nor a question', undefined, {}, '', 'tool or question'],
    ['a question of spaces', ' ', {}, 'Because.', 'tool or question'],
    ['two texts', 'Why not?', { files: [] }, 'Because.', '--args'],
    ['two questions', undefined, { prompt: 'Why?' }, 'Why not?', '--args'],
  ])('%s: a mistake in the use of it', (_, word, args, input, field) => {
    expect(() => buildRouteRequest(word, args, 'plan_only', input)).toThrow(
      expect.objectContaining({ class: 'bad_request', field }),
    );
  });

  test('a word that is not a tool becomes the question, with the piped text', () => {
    expect(buildQuestionRequest('hello', 'plan_only', '')).toEqual({
      tool: 'chat',
      args: { prompt: 'hello' },
      payload: false,
    });
    expect(buildQuestionRequest('why', 'with_payload', 'Because.').args).toMatchObject({
      prompt: 'why',
      files: expect.anything(),
    });
  });
});

describe('paint explanation', () => {
  const marked: Paint = (colour, text) => (text === '' ? '' : `<${colour}>${text}</${colour}>`);

  const TEXT = `Request: chat, about 12 tokens
Panel: kimi-k3, glm-5.3

Class: chat, 90 % sure; rule 12, simple_tool

Rules:
     1 explicit_model  no model is named
  x  5 file_question   nobody is left
  > 12 simple_tool     chat is simple

Chain:
  1. glm-4.7-flash (glm): it is fast
     thinking off, room for 9 tokens

Left out:
  kimi-k3 (kimi): no key

Payload: POST https://api.z.ai
{
    "content": "x",
Rules:
}`;

  test('headings, rules, details and who is out have their colours; what is sent has none', () => {
    expect(colorExplanation(TEXT, marked)).toBe(`<bold>Request</bold>: chat, about 12 tokens
<bold>Panel</bold>: kimi-k3, glm-5.3

<bold>Class</bold>: chat, 90 % sure; rule 12, simple_tool

<bold>Rules</bold>:
<dim>     1 explicit_model  no model is named</dim>
<yellow>  x  5 file_question   nobody is left</yellow>
<green>  > 12 simple_tool     chat is simple</green>

<bold>Chain</bold>:
  1. glm-4.7-flash (glm): it is fast
<dim>     thinking off, room for 9 tokens</dim>

<bold>Left out</bold>:
<dim>  kimi-k3 (kimi): no key</dim>

<bold>Payload</bold>: POST https://api.z.ai
{
    "content": "x",
Rules:
}`);
  });

  test('an explanation without any candidate stands out', () => {
    const text =
      'Request: chat\n\nNo model is available (not_configured): No key.\n  fix: exai keys add';
    expect(colorExplanation(text, marked)).toBe(
      '<bold>Request</bold>: chat\n\n<red>No model is available (not_configured)</red>: No key.\n  fix: exai keys add',
    );
  });

  test('where there are no colours, nothing is changed', () => {
    expect(colorExplanation(TEXT, noColor)).toBe(TEXT);
  });
});
