import { expect, test } from 'vitest';
import { actionOf, runsCode } from './tool-action.ts';

test.each([
  'COMPOSIO_REMOTE_WORKBENCH',
  'COMPOSIO_REMOTE_BASH_TOOL',
  'RUBE_REMOTE_WORKBENCH',
  'CODEINTERPRETER_EXECUTE_CODE',
  'CODEINTERPRETER_RUN_TERMINAL_CMD',
  'CODEINTERPRETER_WRITE_FILE_CMD',
  'COMPOSIO_EXECUTE_RECIPE',
  'execute_command',
  'executeCommand',
  'run-python-script',
  'start_process',
  'shell',
  'open_terminal',
])('%s runs code', (tool) => {
  expect(runsCode('any', tool)).toBe(true);
});

test.each([
  'GMAIL_SEND_EMAIL',
  'COMPOSIO_SEARCH_WEB',
  'COMPOSIO_MULTI_EXECUTE_TOOL',
  'execute_sql',
  'run_tests',
  'search_code',
  'get_node',
  'write_local_file',
])('%s runs no code', (tool) => {
  expect(runsCode('any', tool)).toBe(false);
});

test('files are exchanged with the workbench without code of the caller', () => {
  expect(runsCode('local_toolkit', 'workbench_upload')).toBe(false);
  expect(runsCode('other', 'workbench_upload')).toBe(true);
});

test('what a server says of a tool that runs code does not count', () => {
  const hints = { destructiveHint: false, idempotentHint: true, openWorldHint: false };
  const annotations = { ...hints, readOnlyHint: true };
  expect(actionOf({ origin: { server: 's', tool: 'bash' }, annotations })).toBe('runs_code');
  expect(actionOf({ origin: { server: 's', tool: 'look' }, annotations })).toBe('reads');
  // Ours are known.
  expect(actionOf({ annotations })).toBe('reads');
});
