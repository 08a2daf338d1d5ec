import { describe, expect, test } from 'vitest';
import type { ResponseFormat } from '#core/llm/chat.ts';
import { notice } from '#core/messages/notices.ts';
import { delta, sse, clientTo, type Answer } from '../streaming-request.fixture.ts';
import { enforceToolChoice } from './enforce-tool-choice.ts';
import { enforceResponseFormat, checkStructuredAnswer } from './enforce-response-format.ts';

const about = { provider: 'glm', title: 'GLM', model: 'glm-x' } as const;
const format: ResponseFormat = {
  type: 'json_schema',
  name: 'city',
  schema: {
    type: 'object',
    properties: { city: { type: 'string' }, people: { type: 'integer' } },
    required: ['city', 'people'],
  },
};
type Body = Readonly<Record<string, unknown>>;
const good = '{"city":"Oslo","people":709037}';
const stream = (content: string, finish = 'stop'): Answer => ({
  pieces: sse(
    ...content.split('').map((char) => delta({ content: char })),
    { ...delta({}, finish), usage: { prompt_tokens: 10, completion_tokens: 5 } },
    '[DONE]',
  ),
});

function askFor(answers: readonly Answer[], wanted = format, maxOutputTokens?: number) {
  const { ask, requests } = clientTo((_, number) => answers[number - 1] ?? { status: 500 });
  const check = enforceResponseFormat(wanted, about);
  return {
    requests,
    outcome: ask({
      first: {
        body: {
          messages: [{ role: 'user', content: 'Where?' }],
          ...(maxOutputTokens !== undefined && { max_tokens: maxOutputTokens }),
        },
        hold: 'text',
      },
      maxOutputTokens,
      next: (ended) => check.next(ended),
      repair: (ended) => check.repair(ended),
    }),
  };
}

describe('an answer that has to fit a schema', () => {
  test('comes through when it fits', async () => {
    const { outcome, requests } = askFor([stream(good)]);
    expect(await outcome).toMatchObject({ is: 'answered', answer: { text: good, notices: [] } });
    expect(requests).toHaveLength(1);
  });

  test('loses its fences and the words around it', async () => {
    const { outcome } = askFor([stream(`Sure:\n\`\`\`json\n${good}\n\`\`\`\nAnything else?`)]);
    expect(await outcome).toMatchObject({ is: 'answered', answer: { text: good } });
  });

  test('is asked for again with what was wrong, and its costs are added up', async () => {
    const { outcome, requests } = askFor([stream('{"city":"Oslo"}'), stream(good)]);
    expect(await outcome).toMatchObject({
      is: 'answered',
      answer: {
        text: good,
        notices: [
          notice('asked_again', {
            model: 'GLM',
            reason: 'schema',
            path: '/',
            problem: 'must have "people"',
          }),
        ],
        usage: { input: 20, output: 10 },
      },
    });
    expect(JSON.parse(requests[1]?.body as string)).toEqual({
      messages: [
        { role: 'user', content: 'Where?' },
        { role: 'assistant', content: '{"city":"Oslo"}' },
        {
          role: 'user',
          content:
            'That answer does not fit: / must have "people". Send the corrected JSON, and nothing else.',
        },
      ],
    });
  });

  test('is given up after two more tries, without emitting any text', async () => {
    const bad = stream('{"city":"my secret"}');
    const { outcome, requests } = askFor([stream('my secret'), bad, bad, bad]);
    expect(await outcome).toMatchObject({
      is: 'failed',
      answer: { text: '' },
      error: {
        class: 'bad_response',
        provider: 'glm',
        message: 'GLM gave no answer that fits the schema, asked 3 times: / must have "people".',
      },
    });
    expect(requests).toHaveLength(3);
    expect(JSON.stringify((await outcome).answer.notices)).not.toContain('secret');
  });

  test('comes with a notice where a pattern of the schema could not be run', async () => {
    const wanted: ResponseFormat = {
      ...format,
      schema: { properties: { city: { pattern: String.raw`(.)\1` } } },
    };
    const { outcome } = askFor([stream(good)], wanted);
    expect(await outcome).toMatchObject({
      is: 'answered',
      answer: {
        text: good,
        notices: [
          notice('pattern_unchecked', {
            path: '/city',
            problem: 'has a back-reference or an octal escape',
          }),
        ],
      },
    });
  });

  test('that was cut off is an error at once: asking again would be cut off, too', async () => {
    // A value within is not the answer, however well it fits.
    for (const text of ['{"city":"Os', '{"near":{"city":"Oslo"},"far":{"ci']) {
      const { outcome, requests } = askFor([stream(text, 'length')]);
      expect(await outcome).toMatchObject({ is: 'failed', error: { class: 'bad_response' } });
      expect(requests).toHaveLength(1);
    }
  });

  test('that the limit of the request cut ends as length, with the cut text', async () => {
    for (const text of ['{"city":"Os', '{"near":{"city":"Oslo","people":1},"far":{"ci']) {
      const { outcome, requests } = askFor([stream(text, 'length')], format, 5);
      expect(await outcome).toMatchObject({ is: 'answered', finish: 'length', answer: { text } });
      expect(requests).toHaveLength(1);
    }
  });

  test('is asked for again with what is left of the limit, and ends as length without any', async () => {
    const { outcome, requests } = askFor([stream('{}'), stream(good)], format, 8);
    expect(await outcome).toMatchObject({ is: 'answered', finish: 'stop' });
    const limits = requests.map(({ body }) => (JSON.parse(body as string) as Body)['max_tokens']);
    expect(limits).toEqual([8, 3]);
    const spent = askFor([stream('{}'), stream(good)], format, 5);
    expect(await spent.outcome).toMatchObject({ finish: 'length', answer: { text: '{}' } });
    expect(spent.requests).toHaveLength(1);
  });

  test('has the reasoning of the accepted answer only', async () => {
    const thinking = (text: string, content: string): Answer => ({
      pieces: sse(delta({ reasoning_content: text }), delta({ content }), delta({}, 'stop')),
    });
    const { outcome } = askFor([thinking('The user', '{}'), thinking('The user wrote.', good)]);
    expect(await outcome).toMatchObject({ answer: { text: good, reasoning: 'The user wrote.' } });
  });

  test('reports the prompt once and the accepted output beside the sum', async () => {
    const { outcome } = askFor([stream('{}'), stream(good)]);
    expect((await outcome).answer).toMatchObject({
      usage: { input: 20, output: 10 },
      answerUsage: { input: 10, output: 5 },
    });
  });

  test('that broke off is kept as far as it came', async () => {
    const { outcome } = askFor([{ pieces: sse(delta({ content: '{"city":' })) }]);
    expect(await outcome).toMatchObject({
      is: 'failed',
      answer: { text: '{"city":' },
      error: { class: 'interrupted' },
    });
  });

  test('may be a tool call instead', async () => {
    const call = { id: 'c', function: { name: 'look', arguments: '{}' } };
    const { outcome } = askFor([
      {
        pieces: sse(
          delta({ content: 'Let me look.' }),
          delta({ tool_calls: [call] }, 'tool_calls'),
        ),
      },
    ]);
    expect(await outcome).toMatchObject({
      is: 'answered',
      finish: 'tool_calls',
      answer: { text: 'Let me look.', toolCalls: [{ name: 'look' }] },
    });
  });
});

test('plain JSON has to be an object', () => {
  expect(checkStructuredAnswer('See [1]: {"a":1}', { type: 'json' })).toEqual({
    is: 'fitting',
    text: '{"a":1}',
  });
  expect(checkStructuredAnswer('[1]', { type: 'json' })).toMatchObject({ is: 'wrong' });
});

test('the instruction contains the schema and nothing else', () => {
  expect(enforceResponseFormat(format, about).instruction).toBe(
    `Answer with one JSON value that fits this JSON Schema. No words around it, no code fences.\n${JSON.stringify(format.schema)}`,
  );
});

describe('a call that was demanded', () => {
  const call = (name: string): Answer => ({
    pieces: sse(
      delta(
        { tool_calls: [{ index: 0, id: 'c', function: { name, arguments: '{}' } }] },
        'tool_calls',
      ),
    ),
  });
  function demand(choice: 'required' | { name: string }, answers: readonly Answer[]) {
    const { ask, requests } = clientTo((_, number) => answers[number - 1] ?? { status: 500 });
    const demanded = enforceToolChoice(choice, about);
    const outcome = ask({
      tools: ['look', 'go'],
      first: { body: { messages: [{ role: 'user', content: 'Look.' }] }, hold: 'text' },
      next: (ended) => demanded.next(ended),
    });
    return { outcome, requests };
  }

  test('is taken when it comes', async () => {
    const { outcome, requests } = demand('required', [call('go')]);
    expect(await outcome).toMatchObject({ finish: 'tool_calls', answer: { text: '' } });
    expect(requests).toHaveLength(1);
  });

  test('is asked for once more when text came, which is not emitted', async () => {
    const { outcome, requests } = demand({ name: 'look' }, [stream('I see.'), call('look')]);
    expect(await outcome).toMatchObject({
      is: 'answered',
      finish: 'tool_calls',
      answer: {
        text: '',
        toolCalls: [{ name: 'look' }],
        notices: [notice('asked_again', { model: 'GLM', reason: 'no_tool_call', tool: 'look' })],
      },
    });
    expect((JSON.parse(requests[1]?.body as string) as { messages: unknown[] }).messages).toEqual([
      { role: 'user', content: 'Look.' },
      { role: 'assistant', content: 'I see.' },
      { role: 'user', content: 'Do not answer in words: call the tool look now.' },
    ]);
  });

  test('that never comes is an error', async () => {
    const { outcome } = demand('required', [stream('No.'), stream('No!')]);
    expect(await outcome).toMatchObject({
      is: 'failed',
      answer: { text: '' },
      error: {
        class: 'bad_response',
        message: 'GLM was to call one of the tools and answered in words, 2 times.',
      },
    });
  });

  test('of another tool is an error, because it was emitted', async () => {
    const { outcome } = demand({ name: 'look' }, [call('go')]);
    expect(await outcome).toMatchObject({ is: 'failed', error: { class: 'bad_response' } });
  });
});
