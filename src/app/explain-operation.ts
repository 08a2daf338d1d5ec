import { decide } from '#calls/decide.ts';
import type { Library } from '#calls/library.ts';
import type { Caller } from '#core/call.ts';
import { CallError } from '#core/call-error.ts';
import { GATEWAY_OPERATIONS, type GatewayChat } from '#core/gateway.ts';
import type { ExplainedOperation } from '#tools/route.ts';
import { createOpenAiDialect } from '#transport/openai/dialect.ts';

type Body = Readonly<Record<string, unknown>>;

/** The operation of this name, where the caller may use it, as it is explained: with the body of a request for arguments. */
export function explainedOperation(
  library: Pick<Library, 'operation'>,
  name: string,
  caller: Caller,
): ExplainedOperation | undefined {
  const tool = library.operation(name)?.tool;
  if (!tool || decide(caller, tool).verdict === 'deny') return undefined;
  const isChat = name === GATEWAY_OPERATIONS.chat;
  return { tool, read: (body) => (isChat ? { ...readChatBody(body) } : body) };
}

/** As OpenAI's clients send it; a question alone is a conversation of one message. */
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
