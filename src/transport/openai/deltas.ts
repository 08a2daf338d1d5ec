import type { ToolCallPiece } from '#core/ask.ts';
import type { GatewayChoice } from '#core/gateway.ts';
import { annotationsOf } from './annotations.ts';
import type { CallStyle } from './read-tools.ts';
import { detailsOf } from './reasoning-details.ts';

/** The members of a delta that tell a piece of a call, or nothing where the style has no word for it. */
export function callDelta(
  { index, id, name, arguments: added }: ToolCallPiece,
  style: CallStyle,
): string {
  const called = `{${name === undefined ? '' : `"name":${JSON.stringify(name)},`}"arguments":${JSON.stringify(added)}}`;
  // There was one call at a time then: the model asks for the next when it has the result.
  if (style === 'functions') return index === 0 ? `"function_call":${called}` : '';
  const first = id === undefined ? '' : `"id":${JSON.stringify(id)},"type":"function",`;
  return `"tool_calls":[{"index":${index},${first}"function":${called}}]`;
}

/** The members of a delta that are known only when an answer is over. */
export function lastDelta(choice: GatewayChoice): string {
  const { text, citations } = choice;
  const details = detailsOf(choice);
  const members: string[] = [];
  if (citations.length > 0) {
    members.push(`"annotations":${JSON.stringify(annotationsOf(text, citations))}`);
  }
  if (details) members.push(`"reasoning_details":${JSON.stringify(details)}`);
  return members.join(',');
}
