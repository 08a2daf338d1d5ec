import type { JsonObject } from '#core/json/json.ts';
import type { ToolCallPiece } from '#core/llm/ask.ts';
import type { Citation, FinishReason } from '#core/llm/chat.ts';
import type { GatewayChoice } from '#core/llm/gateway.ts';
import { answerUsage, type AnswerUsage } from '../gateway/answer-usage.ts';
import type { FinishedChat } from '../gateway/dialect.ts';
import { exaiExtension, vendorStyleId } from '../gateway/exai-extension.ts';
import { isTooDeep } from '../gateway/fields.ts';
import type { CallStyle } from './tools.ts';

/** There is one tier; the vendors' own are not reported. */
export const SERVICE_TIER = 'default';

/** Writes a `chat.completion` object as JSON. */
export function writeOpenAiResponse(finished: FinishedChat, style: CallStyle): string {
  const { reqId, atMs, answer, envelope } = finished;
  return JSON.stringify({
    id: completionId(reqId),
    object: 'chat.completion',
    created: toSeconds(atMs),
    model: answer.choices[0]?.model ?? envelope.model ?? 'auto',
    choices: answer.choices.map((choice, index) => ({
      index,
      message: writeMessage(choice, style),
      logprobs: null,
      finish_reason: finishReason(choice.finish, style),
    })),
    usage: writeOpenAiUsage(answerUsage(answer)),
    service_tier: SERVICE_TIER,
    exai: exaiExtension(finished),
  });
}

function writeMessage(choice: GatewayChoice, style: CallStyle) {
  const { text, reasoning, toolCalls, citations } = choice;
  return {
    role: 'assistant',
    content: text === '' && toolCalls.length > 0 ? null : text,
    refusal: null,
    reasoning_content: reasoning === '' ? undefined : reasoning,
    reasoning_details: reasoningDetails(choice),
    ...writeToolCalls(choice, style),
    annotations: writeAnnotations(text, citations),
  };
}

function writeToolCalls({ toolCalls }: GatewayChoice, style: CallStyle) {
  const [first] = toolCalls;
  if (!first) return undefined;
  if (style === 'functions') {
    // The legacy format has one call at a time: the model makes the next when it has the result.
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

/** The `usage` object. All members are present, as clients add them up without checking. */
export function writeOpenAiUsage({ input, output, cached, reasoning }: AnswerUsage) {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

/** The citations as `url_citation` annotations. */
function writeAnnotations(text: string, citations: readonly Citation[]) {
  return citations.map((citation) => {
    const { title, url } = citation;
    return { type: 'url_citation', url_citation: { url, title, ...citationSpan(text, citation) } };
  });
}

/** The position of the mark of a citation in the text, or 0 if it has none. */
export function citationSpan(text: string, { mark }: Citation) {
  const sign = mark === undefined ? '' : `[${mark}]`;
  const found = sign === '' ? -1 : text.indexOf(sign);
  const start = Math.max(0, found);
  return { start_index: start, end_index: found === -1 ? 0 : start + sign.length };
}

/** The `finish_reason`; legacy clients have another word for tool calls. */
export function finishReason(
  finish: FinishReason,
  style: CallStyle,
): FinishReason | 'function_call' {
  return finish === 'tool_calls' && style === 'functions' ? 'function_call' : finish;
}

/** The id of the completion for a request. */
export function completionId(reqId: string): string {
  return vendorStyleId('chatcmpl-', reqId);
}

/**
 * The reasoning details, which the client sends back with the next request; undefined if there are
 * none or if they are too deep to be accepted again.
 */
function reasoningDetails({
  reasoningDetails: details,
}: GatewayChoice): readonly JsonObject[] | undefined {
  return details.length === 0 || isTooDeep(details) ? undefined : details;
}

/** A time in OpenAI's format: whole seconds since 1970. */
export function toSeconds(atMs: number): number {
  return Math.floor(atMs / 1000);
}

/** The JSON members of a delta with a part of a tool call; empty if the style cannot express it. */
export function toolCallDelta(
  { index, id, name, arguments: added }: ToolCallPiece,
  style: CallStyle,
): string {
  const called = `{${name === undefined ? '' : `"name":${JSON.stringify(name)},`}"arguments":${JSON.stringify(added)}}`;
  // The legacy format has one call at a time: the model makes the next when it has the result.
  if (style === 'functions') return index === 0 ? `"function_call":${called}` : '';
  const first = id === undefined ? '' : `"id":${JSON.stringify(id)},"type":"function",`;
  return `"tool_calls":[{"index":${index},${first}"function":${called}}]`;
}

/** The JSON members of the last delta: annotations and reasoning details, known only at the end. */
export function lastDelta(choice: GatewayChoice): string {
  const { text, citations } = choice;
  const details = reasoningDetails(choice);
  const members: string[] = [];
  if (citations.length > 0) {
    members.push(`"annotations":${JSON.stringify(writeAnnotations(text, citations))}`);
  }
  if (details) members.push(`"reasoning_details":${JSON.stringify(details)}`);
  return members.join(',');
}
