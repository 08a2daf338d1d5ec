import type { GatewayChoice } from '#core/gateway.ts';
import { answerFacts } from '../gateway/answer-facts.ts';
import type { Finished } from '../gateway/dialect.ts';
import { annotationsOf } from './annotations.ts';
import { completionId } from './completion-id.ts';
import { finishReason } from './finish-reason.ts';
import type { CallStyle } from './read-tools.ts';
import { detailsOf } from './reasoning-details.ts';
import { toSeconds } from './to-seconds.ts';
import { writeUsage } from './write-usage.ts';

/** A `chat.completion`, as JSON. */
export function writeWhole(finished: Finished, style: CallStyle): string {
  const { reqId, atMs, answer, envelope } = finished;
  return JSON.stringify({
    id: completionId(reqId),
    object: 'chat.completion',
    created: toSeconds(atMs),
    model: answer.choices[0]?.model ?? envelope.model ?? 'auto',
    choices: answer.choices.map((choice, index) => ({
      index,
      message: messageOf(choice, style),
      logprobs: null,
      finish_reason: finishReason(choice.finish, style),
    })),
    usage: writeUsage(envelope.usage),
    exai: answerFacts(finished),
  });
}

function messageOf(choice: GatewayChoice, style: CallStyle) {
  const { text, reasoning, toolCalls, citations } = choice;
  return {
    role: 'assistant',
    content: text === '' && toolCalls.length > 0 ? null : text,
    refusal: null,
    reasoning_content: reasoning === '' ? undefined : reasoning,
    reasoning_details: detailsOf(choice),
    ...callsOf(choice, style),
    annotations: citations.length === 0 ? undefined : annotationsOf(text, citations),
  };
}

function callsOf({ toolCalls }: GatewayChoice, style: CallStyle) {
  const [first] = toolCalls;
  if (!first) return undefined;
  if (style === 'functions') {
    // There was one call at a time then: the model asks for the next when it has the result.
    return { function_call: { name: first.name, arguments: first.arguments } };
  }
  return {
    tool_calls: toolCalls.map(({ id, name, arguments: text }) => ({
      id,
      type: 'function',
      function: { name, arguments: text },
    })),
  };
}
