import { expect, test } from 'vitest';
import { createTestCalls } from '#calls/calls.fixture.ts';
import type { CallResult, CallRequest, Change } from '#core/calls/calls.ts';
import {
  acceptedForm,
  type InputResponses,
  type InputRequestKind,
} from '#core/tools/input-request.ts';
import { checkConformanceHost, conformanceFeature } from './conformance.ts';
import { mountFeatures } from './features/mount.ts';
import { createLifecycle } from './daemon/lifecycle.ts';

const ALL_KINDS: readonly InputRequestKind[] = ['form', 'visit', 'sample', 'roots'];
const yes = (content: InputResponses[string]) => ({ action: 'accept', content });
const assistantMessage = (text: string) => ({
  role: 'assistant',
  content: { type: 'text', text },
  model: 'm',
});
const ROOTS = { roots: [{ uri: 'file:///a' }, { uri: 'file:///b' }] };

/** Creates the fixtures with the daemon's calls. */
async function openConformance() {
  const calls = createTestCalls([]);
  await mountFeatures([conformanceFeature], calls, {
    addMethods: () => undefined,
    addEndpoints: () => undefined,
    lifecycle: createLifecycle(calls.clock),
  });
  const ask = (tool: string, more: Partial<CallRequest> = {}, args: unknown = {}) =>
    calls.answer(tool, args, { clientCapabilities: ALL_KINDS, ...more });
  return { ...calls, ask };
}

function asked({ inputRequired: asks }: CallResult): { names: string[]; state: string } {
  if (!asks) throw new Error('nothing is asked');
  return { names: Object.keys(asks.questions), state: asks.state };
}

test.each([
  ['test_simple_text', 'This is a simple text response for testing.', []],
  ['test_image_content', '', [{ type: 'image', mimeType: 'image/png' }]],
  ['test_audio_content', '', [{ type: 'audio', mimeType: 'audio/wav' }]],
  [
    'test_embedded_resource',
    '',
    [{ resource: { uri: 'test://embedded-resource', mimeType: 'text/plain' } }],
  ],
  [
    'test_multiple_content_types',
    'Multiple content types test:',
    [{ type: 'image' }, { resource: { text: '{"test":"data","value":123}' } }],
  ],
])('%s answers with what it is named for', async (tool, text, blocks) => {
  const { ask } = await openConformance();
  const answer = await ask(tool);
  expect(answer.text).toBe(text);
  expect(answer.blocks ?? []).toMatchObject(blocks);
});

test('a failing tool returns the text that the suite expects', async () => {
  const { ask } = await openConformance();
  const { error, text } = await ask('test_error_handling');
  expect(error?.class).toBe('tool_error');
  expect(text).toContain('This tool intentionally returns an error for testing');
});

test('logs and progress come one after the other, with time between them', async () => {
  const { start, clock } = await openConformance();
  const received: unknown[] = [];
  const logging = start(
    'test_tool_with_logging',
    {},
    { onClientLog: (...all) => received.push(all) },
  );
  const progress = start(
    'test_tool_with_progress',
    {},
    { onProgress: (step) => received.push(step) },
  );
  expect(received).toHaveLength(2);
  for (const count of [4, 6]) {
    clock.advance(49);
    await turn();
    expect(received).toHaveLength(count - 2);
    clock.advance(1);
    await turn();
    expect(received).toHaveLength(count);
  }
  expect(received).toEqual([
    ['info', 'Tool execution started'],
    { done: 0, total: 100 },
    ['info', 'Tool processing data'],
    { done: 50, total: 100 },
    ['info', 'Tool execution completed'],
    { done: 100, total: 100 },
  ]);
  expect((await logging.answer).error ?? (await progress.answer).error).toBeUndefined();
});

test('a long call ends when it is cancelled', async () => {
  const { start, clock } = await openConformance();
  const running = start('test_reconnection');
  const timers = clock.waiting;
  running.cancel();
  expect((await running.answer).error?.class).toBe('cancelled');
  await turn();
  expect(clock.waiting).toBeLessThan(timers);
});

test.each([
  ['elicitation', [{ user_name: yes({ name: 'Ann' }) }], 'Hello, Ann!'],
  ['sampling', [{ capital_question: assistantMessage('Paris.') }], 'Paris.'],
  ['list_roots', [{ client_roots: ROOTS }], 'file:///a, file:///b'],
  ['request_state', [{ confirm: yes({ ok: true }) }], 'state-ok'],
  ['tampered_state', [{ confirm: yes({ ok: false }) }], 'false'],
  [
    'multiple_inputs',
    [{ user_name: yes({ name: 'Ann' }), greeting: assistantMessage('Hi'), client_roots: ROOTS }],
    'Hi Ann, from file:///a',
  ],
  [
    'multi_round',
    [{ step1: yes({ name: 'Ann' }) }, { step2: yes({ color: 'blue' }) }],
    'Ann likes blue',
  ],
])(
  'test_input_required_result_%s asks, and goes on with the answers',
  async (name, rounds, end) => {
    const { ask } = await openConformance();
    const tool = `test_input_required_result_${name}`;
    let answer = await ask(tool);
    for (const answers of rounds as readonly InputResponses[]) {
      const { names, state } = asked(answer);
      expect(names).toEqual(Object.keys(answers));
      answer = await ask(tool, { answers, state });
    }
    expect(answer.inputRequired).toBeUndefined();
    expect(answer.text).toContain(end);
  },
);

test('unanswered requests are repeated, a refusal ends the call, and extra responses are ignored', async () => {
  const { ask } = await openConformance();
  const tool = 'test_input_required_result_elicitation';
  const good = { user_name: yes({ name: 'Ann' }) };
  for (const answers of [{ other: yes({}) }, { user_name: yes({}) }, { user_name: {} }]) {
    expect(asked(await ask(tool, { answers })).names).toEqual(['user_name']);
  }
  expect((await ask(tool, { answers: { ...good, other: yes({}) } })).text).toBe('Hello, Ann!');
  const refused = await ask(tool, { answers: { user_name: { action: 'decline' } } });
  expect(refused).toMatchObject({ text: 'The user did not answer "user_name".' });
});

test('a state that was changed on its way is refused', async () => {
  const { ask } = await openConformance();
  const tool = 'test_input_required_result_tampered_state';
  const { state } = asked(await ask(tool));
  const answers = { confirm: yes({ ok: true }) };
  const changed = await ask(tool, { answers, state: `${state}-TAMPERED` });
  expect(changed.error).toMatchObject({ class: 'validation', field: 'requestState' });
});

test('a client gets only input requests that it supports', async () => {
  const { ask } = await openConformance();
  const tool = 'test_input_required_result_capabilities';
  expect(asked(await ask(tool, { clientCapabilities: ['sample'] })).names).toEqual(['greeting']);
  expect(asked(await ask(tool)).names).toEqual(['user_name', 'greeting', 'client_roots']);
  expect((await ask(tool, { clientCapabilities: [] })).text).toContain('nothing was asked');
  const { error } = await ask('test_missing_capability', { clientCapabilities: ['form'] });
  expect(error).toMatchObject({ class: 'bad_request', lacks: ['sample'] });
});

test.each([
  ['test_elicitation', { message: 'Who?' }, ['username', 'email'], 'User response: action=accept'],
  [
    'test_elicitation_sep1034_defaults',
    {},
    ['name', 'age', 'score', 'status', 'verified'],
    'Elicitation completed: action=accept, content={"a":1}',
  ],
  [
    'test_elicitation_sep1330_enums',
    {},
    ['untitledSingle', 'titledSingle', 'legacyEnum', 'untitledMulti', 'titledMulti'],
    'Elicitation completed: action=accept',
  ],
])('%s requests a form, and returns the response', async (tool, args, fields, end) => {
  const { ask } = await openConformance();
  const { inputRequired: asks } = await ask(tool, {}, args);
  const question = asks?.questions['form'];
  if (question?.is !== 'form') throw new Error('no form');
  expect(Object.keys(question.schema['properties'] as object)).toEqual(fields);
  const more = { answers: { form: yes({ a: 1 }) }, state: asks?.state ?? '' };
  expect((await ask(tool, more, args)).text).toContain(end);
  const declined = await ask(tool, { answers: { form: { action: 'decline' } } }, args);
  expect(declined.text).toContain('action=decline, content={}');
});

test('test_sampling sends its prompt to the model of the client', async () => {
  const { ask } = await openConformance();
  const args = { prompt: 'Say hi' };
  const { inputRequired: asks } = await ask('test_sampling', {}, args);
  expect(asks?.questions['message']).toEqual({
    is: 'sample',
    request: {
      messages: [{ role: 'user', content: { type: 'text', text: 'Say hi' } }],
      maxTokens: 100,
    },
  });
  const answers = { message: assistantMessage('hi') };
  expect((await ask('test_sampling', { answers }, args)).text).toBe('LLM response: hi');
  for (const content of [null, [null], 3, { type: 'image' }]) {
    const odd = await ask('test_sampling', { answers: { message: { content } } }, args);
    expect(odd.text).toContain('nothing that can be read');
  }
});

test('schemas are listed unchanged', async () => {
  const { calls } = await openConformance();
  const tools = new Map(calls.list(OWNER).tools.map((tool) => [tool.name, tool.inputSchema]));
  expect(tools.get('json_schema_2020_12_tool')).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $defs: { address: { $anchor: 'addressDef' } },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: {},
    else: { required: ['email'] },
    additionalProperties: false,
  });
  expect(tools.get('json_schema_2020_12_tool')).toHaveProperty('then', { required: ['phone'] });
  expect(tools.get('test_x_mcp_header')).toMatchObject({
    properties: { region: { 'x-mcp-header': 'Region' } },
  });
});

test('the triggers notify a change of exactly one list', async () => {
  const { ask, calls } = await openConformance();
  const changes: Change[] = [];
  calls.onChange((change) => changes.push(change));
  await ask('test_trigger_tool_change');
  expect(changes.splice(0)).toEqual([{ list: 'tools' }]);
  await ask('test_trigger_prompt_change');
  expect(changes).toEqual([{ list: 'prompts' }]);
});

test.each([
  ['test_simple_prompt', {}, ['This is a simple prompt for testing.']],
  [
    'test_prompt_with_arguments',
    { arg1: 'a', arg2: 'b' },
    ["Prompt with arguments: arg1='a', arg2='b'"],
  ],
  [
    'test_prompt_with_embedded_resource',
    { resourceUri: 'test://x' },
    ['test://x', 'Please process the embedded resource above.'],
  ],
  ['test_prompt_with_image', {}, ['image/png', 'Please analyze the image above.']],
])('the prompt %s returns its messages', async (prompt, args, lines) => {
  const { ask } = await openConformance();
  const { envelope } = await ask(prompt, { kind: 'prompt' }, args);
  const { messages } = envelope.content as { messages: readonly object[] };
  expect(messages).toHaveLength(lines.length);
  for (const [index, line] of lines.entries()) {
    expect(messages[index]).toMatchObject({ role: 'user' });
    expect(JSON.stringify(messages[index])).toContain(line);
  }
});

test('a prompt can request input, too', async () => {
  const { ask } = await openConformance();
  const name = 'test_input_required_result_prompt';
  const { names, state } = asked(await ask(name, { kind: 'prompt' }));
  expect(names).toEqual(['user_context']);
  const answers = { user_context: yes({ context: 'the sea' }) };
  expect(acceptedForm(answers, 'user_context')).toEqual({ context: 'the sea' });
  const { envelope } = await ask(name, { kind: 'prompt', answers, state });
  expect(JSON.stringify(envelope.content)).toContain('the sea');
});

test.each([
  ['test://static-text', { text: 'This is the content of the static text resource.' }],
  ['test://static-binary', { mimeType: 'image/png', blob: expect.any(String) as string }],
  ['test://watched-resource', { mimeType: 'text/plain' }],
  [
    'test://template/123/data',
    { text: '{"id":"123","templateTest":true,"data":"Data for ID: 123"}' },
  ],
])('%s can be read', async (uri, contents) => {
  const { ask } = await openConformance();
  const { envelope } = await ask(uri, { kind: 'resource' });
  expect(envelope.content).toMatchObject({ contents: [{ uri, ...contents }] });
});

test.each(['127.0.0.1', '127.1.2.3', 'localhost', '::1', '[::1]'])('%s may have them', (host) => {
  expect(() => checkConformanceHost(host)).not.toThrow();
});

test.each(['0.0.0.0', '::', '[::]', '192.168.1.2', 'exai.example'])('%s may not', (host) => {
  expect(() => checkConformanceHost(host)).toThrow(/--conformance adds test fixtures/);
});

const OWNER = { principal: 'local', scopes: ['*'], roots: [] };

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
