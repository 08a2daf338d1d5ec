import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import { fix, type Fix } from '#core/messages/fixes.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import { chatRenderer } from './chat-sentences.ts';
import { askRenderer, cliRenderer, explainRenderer, jobRenderer } from './cli-sentences.ts';
import { readFailure, formatFailureLine, formatFailureLines, rewordError } from './failure.ts';

test.each<[string, readonly Fix[], string]>([
  [
    'fallback',
    [fix('omit_argument', { argument: 'fallback', value: 'none' })],
    'Leave out --no-fallback.',
  ],
  ['web', [fix('set_argument', { argument: 'use_websearch', value: true })], 'Use --web.'],
  [
    'thinking',
    [fix('set_argument', { argument: 'thinking_mode', value: 'high' })],
    'Use --think high.',
  ],
  [
    'preference',
    [fix('omit_argument', { argument: 'prefer', value: 'speed' })],
    'Leave out --prefer speed.',
  ],
  [
    'the price, without an option for the length of an answer',
    [
      fix('raise_argument', { argument: 'max_cost_usd' }),
      fix('lower_argument', { argument: 'max_output_tokens' }),
      fix('omit_argument', { argument: 'max_cost_usd' }),
    ],
    'Allow more with --max-cost, or leave out --max-cost.',
  ],
  ['only the length of an answer', [fix('raise_argument', { argument: 'max_output_tokens' })], ''],
  ['what has no option', [fix('set_argument', { argument: 'files' })], 'Set files.'],
  [
    'another model',
    [fix('use_other_model'), fix('list_models')],
    'Choose another model with --model, or list the models with: exai models',
  ],
])('exai ask names its options: %s', (_, fixes, text) => {
  expect(askRenderer.fixes(fixes)).toBe(text);
});

test('exai explain does not say to leave out the tool, which is no option of it', () => {
  const fixes = [fix('list_tools'), fix('omit_argument', { argument: 'tool' })];
  expect(explainRenderer.fixes(fixes)).toBe('List the tools with: exai tools --all');
  expect(explainRenderer.fixes([fix('omit_argument', { argument: 'model' })])).toBe(
    'Leave out model.',
  );
});

test.each<[Reason, string]>([
  [
    reason('invalid_argument', {
      argument: 'max_cost_usd',
      problem: 'must be 0 or more, but is -1',
    }),
    '--max-cost must be 0 or more, but is -1.',
  ],
  [
    reason('invalid_argument', { argument: 'files', problem: 'must be a list' }),
    '"files" must be a list.',
  ],
  [reason('missing_arguments', { arguments: ['thinking_mode'] }), '--think is missing.'],
])('exai ask names its options in a message: %j', (why, text) => {
  expect(askRenderer.message({ message: '', reason: why })).toBe(text);
});

test('an argument is named as an option where there is one', () => {
  expect(askRenderer.argument('prefer', 'speed')).toBe('--prefer speed');
  expect(askRenderer.argument('fallback', 'none')).toBe('--no-fallback');
  expect(askRenderer.argument('use_websearch', true)).toBe('--web');
  expect(askRenderer.argument('images')).toBe('images');
});

test.each<[Fix, string]>([
  [fix('list_tools'), 'List the tools with: exai tools --all'],
  [
    fix('tool_help', { tool: 'debug' }),
    'See what they must be with: exai call search_tools query=debug',
  ],
  [fix('list_jobs'), 'List your jobs with: exai jobs'],
  [fix('cancel_jobs'), 'Find jobs to cancel with: exai jobs --open'],
  [fix('list_conversations'), 'List your conversations with: exai threads list'],
  [
    fix('fork_conversation', { id: 'conv_7', turn: 4 }),
    'Continue from an earlier turn with: exai threads fork conv_7 --turn 4',
  ],
  [fix('run_doctor'), 'See what is missing with: exai doctor'],
  [fix('preview_request'), 'See what any model would be sent with: exai explain --payload'],
  [
    fix('job_result', { id: 'job_7' }),
    'Get the answer of the job with: exai jobs result job_7 --wait',
  ],
  [fix('read_result', { id: 'res_7' }), 'Read the result with: exai results read res_7'],
  [
    fix('read_result', { id: 'res_7', offset: 60_000 }),
    'Read the result with: exai results read res_7 --offset 60000',
  ],
])('every command names commands in the place of tools: %j', (each, text) => {
  for (const renderer of [cliRenderer, jobRenderer, askRenderer, chatRenderer]) {
    expect(renderer.fixes([each])).toBe(text);
  }
});

test('exai call leaves the names of arguments as they are', () => {
  const why = reason('invalid_argument', {
    argument: 'max_cost_usd',
    problem: 'must be 0 or more',
  });
  expect(cliRenderer.message({ message: '', reason: why })).toBe(
    '"max_cost_usd" must be 0 or more.',
  );
  expect(cliRenderer.argument('use_websearch', true)).toBe('use_websearch: true');
});

test('the commands for jobs do not name the argument that an id stands for', () => {
  const why = reason('invalid_id', { argument: 'uri', kind: 'job', given: 'x' });
  expect(jobRenderer.message({ message: '', reason: why })).toBe(
    'This is not the id of a job: "x".',
  );
});

test.each<[string, readonly Fix[], string]>([
  [
    'a conversation',
    [fix('list_conversations'), fix('new_conversation')],
    'List your conversations with: exai threads list, or begin a new conversation with: /new',
  ],
  ['the web', [fix('set_argument', { argument: 'use_websearch', value: true })], 'Use /web on.'],
  ['models', [fix('list_models')], 'List the models with: /models'],
  [
    'a root',
    [fix('declare_root'), fix('extend_setting', { setting: 'allowedDirs', entry: 'a folder' })],
    'Start the chat in the folder, or add a folder to allowedDirs.',
  ],
  ['the length of an answer', [fix('raise_argument', { argument: 'max_output_tokens' })], ''],
])('exai chat names what can be typed in it: %s', (_, fixes, text) => {
  expect(chatRenderer.fixes(fixes)).toBe(text);
});

test('exai chat does not name the argument that an id stands for', () => {
  const why = reason('invalid_id', { argument: 'continuation_id', kind: 'conversation' });
  expect(chatRenderer.message({ message: '', reason: why })).toBe(
    'That is not the id of a conversation.',
  );
});

test('a failure comes out of an envelope with its parts', () => {
  const error = {
    message: '"lines" must be 5 or more.',
    reason: reason('invalid_argument', { argument: 'lines', problem: 'must be 5 or more' }),
    fixes: [fix('tool_help', { tool: 'debug' })],
  };
  const failure = readFailure({ error_class: 'validation', detail: 'x', error }, 'y');
  expect(failure).toMatchObject({ class: 'validation', ...error });
  expect(formatFailureLines(failure, cliRenderer)).toBe(
    `"lines" must be 5 or more.\n  fix: See what they must be with: exai call search_tools query=debug`,
  );
});

test('an envelope of another version, or of another server, is shown unchanged', () => {
  const later = { message: 'No.', fixes: [{ kind: 'a_later_kind', params: {} }] };
  expect(
    readFailure({ error_class: 'budget', detail: 'No. Do it.', error: later }, 'y'),
  ).toMatchObject({
    class: 'budget',
    message: 'No. Do it.',
    fixes: [],
  });
  expect(readFailure({ error_class: 'budget', detail: 'Old.' }, 'y').message).toBe('Old.');
  expect(readFailure(undefined, 'Plain.')).toMatchObject({
    class: 'tool_error',
    message: 'Plain.',
  });
  const broken = { message: 'No.', fixes: [{ kind: 'raise_setting', params: {} }] };
  expect(formatFailureLines(readFailure({ error: broken }, ''), cliRenderer)).toBe('No.');
});

test('on one line a message and its fix are two sentences', () => {
  const error = new CallError('network', 'It went away', { fixes: [fix('retry')] });
  expect(formatFailureLine(error, chatRenderer)).toBe('It went away. Try again.');
});

test('a reworded failure has the message of the surface, and its fixes as data', () => {
  const why = reason('invalid_id', { argument: 'id', kind: 'conversation' });
  const error = codedError('validation', why, { fixes: [fix('list_conversations')] });
  const told = rewordError(error, jobRenderer);
  expect(formatFailureLines(told, cliRenderer)).toBe(
    'This is not the id of a conversation.\n  fix: List your conversations with: exai threads list',
  );
  expect(told).toMatchObject({ class: 'validation', fixes: error.fixes, cause: error });
});
