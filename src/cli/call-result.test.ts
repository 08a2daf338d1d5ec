import { expect, test } from 'vitest';
import { DaemonError } from '#client/daemon-client.ts';
import { failureEnvelope } from '#core/calls/envelope.ts';
import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import { reason } from '#core/messages/reasons.ts';
import { withEnvelope } from '../../test/read-envelope.ts';
import { callFailureResult, formatCallFailure, readCallResult } from './call-result.ts';
import { cliRenderer } from './messages/cli-sentences.ts';

const ENVELOPE = { status: 'success' };
const text = (words: string) => ({ type: 'text', text: words });

test('an answer is its texts, its envelope and the code 0', () => {
  const envelope = { status: 'success', req_id: 'req_1', content: { camelCase: true } };
  const content = [text('All is well.'), text('continuation_id: conv_1')];
  expect(readCallResult({ content, ...withEnvelope(envelope) })).toEqual({
    text: 'All is well.\ncontinuation_id: conv_1',
    envelope,
    exit: 0,
  });
});

test.each([
  { envelope: { error_class: 'validation' }, exit: 3 },
  { envelope: { error_class: 'cancelled' }, exit: 130 },
  { envelope: { error_class: 'constructor' }, exit: 26 },
  { envelope: undefined, exit: 26 },
])('a failure with $envelope exits with $exit', ({ envelope, exit }) => {
  const result = { content: [text('No.')], ...withEnvelope(envelope), isError: true };
  expect(readCallResult(result)).toMatchObject({ text: 'No.', exit });
});

test('a failure that a server reports is shown with what the server says', () => {
  const params = { server: 'files', tool: 'mcp__files__read' };
  const failed = codedError('tool_error', reason('server_tool_failed', params));
  const envelope = failureEnvelope(failed, { tool: params.tool, req_id: 'req_1' });
  const result = readCallResult({
    content: [text('Access denied.')],
    ...withEnvelope(envelope),
    isError: true,
  });
  expect(formatCallFailure(result, cliRenderer)).toBe(
    'mcp__files__read ran and reported an error.\nAccess denied.',
  );
});

test.each([
  { what: 'a daemon before 0.2', result: { structuredContent: ENVELOPE } },
  {
    what: 'a tool of another server, beside its own result',
    result: { structuredContent: { own: 1 }, ...withEnvelope(ENVELOPE) },
  },
])('the envelope of $what is found', ({ result }) => {
  expect(readCallResult({ content: [], ...result }).envelope).toBe(ENVELOPE);
});

test('content that is not text is named, and control characters are escaped', () => {
  const content = [
    text('a\tb\r\nc\u001b[2J\u009b'),
    { type: 'image', mimeType: 'image/png' },
    null,
  ];
  expect(readCallResult({ content }).text).toBe(
    'a\tb\nc\\u{1b}[2J\\u{9b}\n[image, image/png: --json shows it]\n[undefined: --json shows it]',
  );
});

test.each([null, undefined, 3, [], { content: 'x' }])(
  '%j is no result, and harms nothing',
  (odd) => {
    expect(readCallResult(odd)).toMatchObject({ text: '', exit: 0 });
  },
);

test('a call without a result has the shape of one that failed', () => {
  const refusal = new DaemonError('not_found', 'There is no tool "x".', {}, 'req_1');
  expect(callFailureResult(refusal, 'x')).toEqual({
    text: 'There is no tool "x".',
    envelope: {
      status: 'error',
      error_class: 'not_found',
      attempt: 0,
      tool: 'x',
      req_id: 'req_1',
      detail: 'There is no tool "x".',
      error: { message: 'There is no tool "x".' },
      content: null,
    },
    exit: 6,
    error: refusal,
  });
  const gone = new CallError('network', 'It went away.', { fix: 'exai logs' });
  expect(callFailureResult(gone, 'x')).toMatchObject({
    text: 'It went away.',
    envelope: { error_class: 'network', req_id: '' },
    exit: 16,
  });
  expect(() => callFailureResult(new TypeError('a bug'), 'x')).toThrow('TypeError');
});
