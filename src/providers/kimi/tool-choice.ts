import type { ToolChoice } from '#core/chat.ts';
import type { JsonObject } from '#core/json.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { Model } from '#models/model.ts';
import type { Demand } from '../wire/demanded-call.ts';

export function isForced(choice: ToolChoice | undefined): boolean {
  return choice !== undefined && choice !== 'auto' && choice !== 'none';
}

export interface WrittenChoice {
  readonly members: JsonObject;
  readonly notices: readonly Notice[];
  /** What the model has to call. */
  readonly demand: Demand | undefined;
}

/** While a model thinks, Kimi refuses every choice but `auto` and `none`. */
export function writeToolChoice(
  choice: ToolChoice | undefined,
  model: Model,
  mode: 'on' | 'off',
): WrittenChoice {
  if (choice === undefined || choice === 'auto')
    return { members: {}, notices: [], demand: undefined };
  if (choice === 'none')
    return { members: { tool_choice: 'none' }, notices: [], demand: undefined };
  const mayForce =
    model.toolChoice === 'any' || (model.toolChoice === 'unless_thinking' && mode === 'off');
  if (mayForce) {
    const tool_choice =
      choice === 'required' ? choice : { type: 'function', function: { name: choice.name } };
    return { members: { tool_choice }, notices: [], demand: choice };
  }
  const dropped = notice('tool_choice_dropped', {
    model: model.title,
    ...(choice !== 'required' && { tool: choice.name }),
    reason: mode === 'on' ? 'thinking' : 'unsupported',
  });
  return { members: { tool_choice: 'auto' }, notices: [dropped], demand: undefined };
}
