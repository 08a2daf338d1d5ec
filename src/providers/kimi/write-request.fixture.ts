import type { ChatMessage, ChatRequest, ChatTool } from '#core/llm/chat.ts';
import { modelOf } from './kimi.fixture.ts';
import { writeKimiRequest } from './request.ts';

export const K3 = modelOf('kimi-k3');
export const K26 = modelOf('kimi-k2.6');
export const K27 = modelOf('kimi-k2.7-code');
export const V1 = modelOf('moonshot-v1-32k');

export const USER: ChatMessage = { role: 'user', content: 'Hello.' };
export const TOOL: ChatTool = {
  name: 'look',
  description: 'Looks.',
  parameters: { type: 'object', properties: { what: { enum: ['a', 'b'] } } },
};

export const ask = (more: Partial<ChatRequest> = {}): ChatRequest => ({
  model: 'x',
  messages: [USER],
  delivery: 'whole',
  ...more,
});
export const body = (more: Partial<ChatRequest>, model = K26) =>
  writeKimiRequest(ask(more), model).body;
export const notices = (more: Partial<ChatRequest>, model = K26) =>
  writeKimiRequest(ask(more), model).notices;
