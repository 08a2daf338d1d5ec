import type { Access } from '#calls/access.ts';
import type { ContentRegistry } from '#calls/content-registry.ts';
import type { Caller } from '#core/calls/call.ts';
import { CallError } from '#core/errors/call-error.ts';
import { GATEWAY_OPERATIONS, type GatewayChat } from '#core/llm/gateway.ts';
import type { ExplainedOperation } from '#tools/route.ts';
import { createOpenAiDialect } from '#transport/openai/dialect.ts';

type Body = Readonly<Record<string, unknown>>;

/**
 * The gateway operation of this name in explainable form, if the caller may use it. Its arguments
 * are the body of a request.
 */
export function explainedOperation(
  {
    content,
    access,
  }: { readonly content: Pick<ContentRegistry, 'operation'>; readonly access: Access },
  name: string,
  caller: Caller,
): ExplainedOperation | undefined {
  const tool = content.operation(name)?.tool;
  if (!tool || access.decide(caller, tool).verdict === 'deny') return undefined;
  const isChat = name === GATEWAY_OPERATIONS.chat;
  return { tool, read: (body) => (isChat ? { ...readChatBody(body) } : body) };
}

/** Parses an OpenAI chat body; a prompt alone is a conversation of one message. */
function readChatBody({ prompt, ...body }: Body): GatewayChat {
  const whole = prompt === undefined ? body : { ...body, messages: messagesOf(prompt, body) };
  return createOpenAiDialect().readChat(whole, {}).chat;
}

function messagesOf(prompt: unknown, { messages }: Body): readonly object[] {
  if (messages !== undefined) {
    throw refused('"prompt" and "messages" are two ways to say one thing.', 'Give one of them.');
  }
  if (typeof prompt === 'string') return [{ role: 'user', content: prompt }];
  throw refused('"prompt" must be a text.', 'Give a text, or messages as in a request.');
}

function refused(message: string, fix: string): CallError {
  return new CallError('validation', message, { field: 'prompt', fix });
}
