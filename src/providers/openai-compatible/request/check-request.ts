import { CallError } from '#core/errors/call-error.ts';
import type { ChatMessage, ChatRequest, ChatTool } from '#core/llm/chat.ts';
import type { Json } from '#core/json/json.ts';
import { fix } from '#core/messages/fixes.ts';
import { estimateChat } from '#models/estimate-chat.ts';
import type { Modality, Model } from '#models/model.ts';
import { ESTIMATE_ERROR } from '#models/estimate-tokens.ts';
import { OTHER_MODEL_FIXES, unsupportedInput } from '../errors/vendor-error.ts';

/** Validates a request before it is sent. Messages name the field and the fix. */
export function checkRequest(request: ChatRequest, model: Model): void {
  const { messages, tools = [], stop = [], maxOutputTokens } = request;
  if (messages.length === 0) {
    throw refuse('messages', 'There is no message.', 'Send at least one message of the user.');
  }
  for (const [index, message] of messages.entries()) checkMessage(message, `messages[${index}]`);
  checkParts(messages, model);
  checkTools(tools, model);
  checkToolChoice(request);
  if (stop.length > model.maxStops) {
    const most = `${model.title} takes ${model.maxStops} at most`;
    throw refuse('stop', `There are ${stop.length} stop texts; ${most}.`, 'Leave some out.');
  }
  if (
    maxOutputTokens !== undefined &&
    !(Number.isInteger(maxOutputTokens) && maxOutputTokens > 0)
  ) {
    const instead = `Give a whole number from 1 to ${model.maxOutputTokens}, or leave it out.`;
    throw refuse('maxOutputTokens', 'The limit of output tokens makes no sense.', instead);
  }
  checkWindow(request, model);
  const last = messages.at(-1);
  if (request.continuation === 'prefix' && last?.role !== 'assistant') {
    const instead = "Let the last message be the assistant's.";
    throw refuse('continuation', 'There is no answer to continue.', instead);
  }
}

const SHORTEN = [fix('send_less'), fix('use_other_model'), fix('list_models')];

/** A token is seldom longer, in any language. */
const CHARS_OF_A_TOKEN = 3;

/**
 * Refuses a prompt that cannot fit into the context window. Assumed windows are not enforced, and a
 * prompt that may fit is left to the vendor, because counting takes time.
 */
function checkWindow({ messages, tools }: ChatRequest, model: Model): void {
  if (model.confidence === 'low') return;
  const chars = messages.reduce(
    (sum, { content }) => sum + (typeof content === 'string' ? content.length : 0),
    0,
  );
  if (chars <= model.contextTokens * CHARS_OF_A_TOKEN) return;
  const tokens = estimateChat(messages, tools);
  if (tokens <= model.contextTokens * (1 + ESTIMATE_ERROR)) return;
  const held = model.contextTokens.toLocaleString('en');
  throw new CallError(
    'context_length',
    `The request has about ${tokens.toLocaleString('en')} tokens; ${model.title} holds ${held}.`,
    {
      field: 'messages',
      fixes: SHORTEN,
      contextTokens: model.contextTokens,
    },
  );
}

function checkMessage(message: ChatMessage, field: string): void {
  if (message.role === 'tool' && message.toolCallId === '') {
    throw refuse(`${field}.toolCallId`, 'A tool result belongs to no call.', 'Name its call.');
  }
  if (message.role === 'assistant' && (message.toolCalls ?? []).length > 0) return;
  // A tool result may be empty, other messages may not.
  if (message.role === 'tool' || !isEmpty(message.content)) return;
  throw refuse(
    `${field}.content`,
    `The message of the ${message.role} is empty.`,
    'Say something in it, or leave it out.',
  );
}

function isEmpty(content: ChatMessage['content']): boolean {
  if (typeof content === 'string') return content.trim() === '';
  return content.every((part) => part.type === 'text' && part.text.trim() === '');
}

function checkParts(messages: readonly ChatMessage[], model: Model): void {
  for (const [index, { content }] of messages.entries()) {
    if (typeof content === 'string') continue;
    const part = content.find(({ type }) => !model.input.includes(type));
    if (!part) continue;
    const takes = model.input.map((kind) => WORDS[kind]).join(', ');
    throw unsupportedInput(
      `messages[${index}].content`,
      `${model.title} cannot take ${WORDS[part.type]}; it takes ${takes}.`,
      OTHER_MODEL_FIXES,
    );
  }
}

const WORDS: Record<Modality, string> = {
  text: 'text',
  image: 'pictures',
  video: 'videos',
  file: 'documents',
};

function checkTools(tools: readonly ChatTool[], model: Model): void {
  if (tools.length === 0) return;
  if (model.tools === 'no') {
    const message = `${model.title} cannot call tools.`;
    throw unsupportedInput('tools', message, OTHER_MODEL_FIXES);
  }
  if (tools.length > model.maxTools) {
    const most = `${model.title} takes ${model.maxTools} at most`;
    throw refuse('tools', `There are ${tools.length} tools; ${most}.`, 'Send fewer of them.');
  }
  const names = new Set<string>();
  for (const [index, { name, parameters }] of tools.entries()) {
    if (isDeeper(parameters, MAX_DEPTH)) {
      const message = `The schema of ${name.slice(0, 64)} is nested more than ${MAX_DEPTH} deep.`;
      throw refuse(`tools[${index}].parameters`, message, 'Make it flatter.');
    }
    const { type = 'object' } = parameters;
    if (type !== 'object') {
      const instead = 'Put the value into a property of an object.';
      throw refuse(
        `tools[${index}].parameters`,
        `The arguments of ${name.slice(0, 64)} must be an object.`,
        instead,
      );
    }
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
      const instead = 'Use up to 64 letters, digits, _ and -.';
      throw refuse(`tools[${index}].name`, 'The name of a tool has other characters.', instead);
    }
    if (names.has(name)) {
      const message = `Two tools are called ${name}.`;
      throw refuse(`tools[${index}].name`, message, 'Give each a unique name.');
    }
    names.add(name);
  }
}

/** Deeper schemas do not occur, and could not be serialised. */
const MAX_DEPTH = 100;

/** Not recursive, because deep nesting is what it guards against. */
function isDeeper(value: Json, depth: number): boolean {
  let level: readonly Json[] = [value];
  for (let at = 0; at <= depth; at += 1) {
    level = level.flatMap((each) =>
      typeof each === 'object' && each !== null ? Object.values(each as object) : [],
    ) as Json[];
    if (level.length === 0) return false;
  }
  return true;
}

function checkToolChoice({ toolChoice, tools = [] }: ChatRequest): void {
  if (toolChoice === undefined || toolChoice === 'auto' || toolChoice === 'none') return;
  const isKnown =
    toolChoice === 'required'
      ? tools.length > 0
      : tools.some(({ name }) => name === toolChoice.name);
  if (isKnown) return;
  const wanted = toolChoice === 'required' ? 'a tool' : toolChoice.name;
  throw refuse(
    'toolChoice',
    `The model is to call ${wanted.slice(0, 64)}, which it is not given.`,
    'Add the tool.',
  );
}

function refuse(field: string, message: string, fix: string): CallError {
  return new CallError('validation', message, { field, fix });
}
