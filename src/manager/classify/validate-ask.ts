import type { AskRequest } from '#core/llm/ask.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { ChatMessage } from '#core/llm/chat.ts';

/** A visible character. */
const VISIBLE = /[^\s\p{Cc}\p{Cf}]/u;

/**
 * Validates a request and returns its last message, the question. An empty or contradictory request
 * is refused with the argument and the fix.
 */
export function validateAsk(request: AskRequest): ChatMessage {
  const asked = checkQuestion(request);
  checkFigures(request);
  checkToolChoice(request);
  return asked;
}

function checkQuestion({ messages, files = [] }: AskRequest): ChatMessage {
  const asked = messages.at(-1);
  if (asked && saysSomething(asked)) return asked;
  if (asked?.role === 'user' && files.length > 0) return asked;
  const what =
    asked && asked.role !== 'system' ? 'The question is empty.' : 'There is no question.';
  throw refuse('prompt', what, 'Ask something, or give something to talk about.');
}

function saysSomething(message: ChatMessage): boolean {
  // The result of a tool may be empty.
  if (message.role === 'tool') return true;
  if (message.role === 'system') return false;
  if (message.role === 'assistant') return VISIBLE.test(message.content);
  if (typeof message.content === 'string') return VISIBLE.test(message.content);
  return message.content.some((part) => part.type !== 'text' || VISIBLE.test(part.text));
}

function checkFigures({ maxCostMicroUsd, maxOutputTokens, step }: AskRequest): void {
  if (
    maxCostMicroUsd !== undefined &&
    !(Number.isFinite(maxCostMicroUsd) && maxCostMicroUsd >= 0)
  ) {
    const fix = 'Give an amount in dollars from 0 on, or leave it out.';
    throw refuse('max_cost_usd', 'The cost limit is not a valid amount.', fix);
  }
  if (maxOutputTokens !== undefined && !isCount(maxOutputTokens)) {
    const fix = 'Give a whole number from 1 on, or leave it out.';
    throw refuse('max_output_tokens', 'The limit of the answer makes no sense.', fix);
  }
  if (step?.number !== undefined && !isCount(step.number)) {
    const fix = 'Steps are counted from 1.';
    throw refuse('step_number', 'The number of the step makes no sense.', fix);
  }
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0;
}

function checkToolChoice({ toolChoice, tools = [] }: AskRequest): void {
  if (toolChoice === undefined || toolChoice === 'auto' || toolChoice === 'none') return;
  const isGiven =
    toolChoice === 'required'
      ? tools.length > 0
      : tools.some(({ name }) => name === toolChoice.name);
  if (isGiven) return;
  const wanted = toolChoice === 'required' ? 'a tool' : toolChoice.name.slice(0, 64);
  const fix = 'Give the tool, or leave the choice to the model.';
  throw refuse('tool_choice', `The model is to call ${wanted}, which it is not given.`, fix);
}

function refuse(field: string, message: string, fix: string): CallError {
  return new CallError('validation', message, { field, fix });
}
