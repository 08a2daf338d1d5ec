import { expect, test } from 'vitest';
import { normaliseToolName } from './tool-name.ts';

test.each([
  ['chat', 'chat'],
  ['chat_EXAI-WS', 'chat'],
  ['chat-EXAI-WS', 'chat'],
  ['chat_EXAI_WS', 'chat'],
  ['chat-EXAI_WS', 'chat'],
  ['mcp__exai__chat', 'chat'],
  ['mcp__exai__chat-EXAI_WS', 'chat'],
  // Only a whole suffix, only at the end, only once.
  ['chat_exai_ws', 'chat_exai_ws'],
  ['EXAI_WS_chat', 'EXAI_WS_chat'],
  ['chat_EXAI_WS_EXAI_WS', 'chat_EXAI_WS'],
  ['mcp__other__chat', 'mcp__other__chat'],
  ['', ''],
])('%j is the tool %j', (given, known) => {
  expect(normaliseToolName(given)).toBe(known);
});
