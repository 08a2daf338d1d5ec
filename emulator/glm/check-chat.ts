import { isObject, type Dictionary } from '../is-object.ts';
import { checkMedia } from './check-media.ts';
import { checkTools } from './check-tools.ts';
import type { GlmError } from './errors.ts';
import { findModel, refusesNamedTool, type GlmModel } from './models.ts';
import type { GlmSwitches } from './switches.ts';

export interface CheckedChat {
  readonly body: Dictionary;
  readonly model: GlmModel;
  readonly messages: readonly Dictionary[];
}

/** What the vendor refuses, in its order; unknown members are ignored. */
export function checkChat(
  json: unknown,
  switches: GlmSwitches,
): CheckedChat | { readonly error: GlmError } {
  if (!isObject(json)) return { error: { code: '1210' } };
  if (typeof json['model'] !== 'string' || json['model'] === '')
    return { error: { code: '1213', about: 'model' } };
  const model = findModel(json['model'], switches);
  if (model === undefined) return { error: { code: '1211' } };
  const messages: unknown = json['messages'];
  if (messages === undefined || messages === null)
    return { error: { code: '1213', about: 'messages' } };
  if (!Array.isArray(messages) || messages.length === 0)
    return { error: { code: '1214', about: 'messages' } };
  if (!messages.every(isObject)) return { error: { code: '1214', about: 'messages' } };
  const error =
    checkMessages(messages) ??
    checkMedia(messages, model) ??
    checkThinking(json, model) ??
    checkSampling(json, model) ??
    checkRest(json) ??
    checkTools(json, switches) ??
    checkToolChoice(json, model);
  return error === undefined ? { body: json, model, messages } : { error };
}

const ROLES: readonly unknown[] = ['system', 'user', 'assistant', 'tool'];

function checkMessages(messages: readonly Dictionary[]): GlmError | undefined {
  for (const message of messages) {
    const { role, content } = message;
    if (!ROLES.includes(role)) return { code: '1214', about: 'messages.role' };
    const calls = message['tool_calls'];
    if (role === 'assistant' && Array.isArray(calls) && calls.length > 0) continue;
    if (
      content === undefined ||
      content === null ||
      content === '' ||
      (Array.isArray(content) && content.length === 0)
    )
      return { code: '1213', about: 'messages.content' };
    if (typeof content !== 'string' && !Array.isArray(content))
      return { code: '1214', about: 'messages.content' };
    if (role === 'tool' && typeof message['tool_call_id'] !== 'string')
      return { code: '1214', about: 'messages.tool_call_id' };
  }
  if (messages.every(({ role }) => role === 'system' || role === 'assistant'))
    return {
      code: '1214',
      about: 'messages',
      detail: 'They cannot be of system and assistant alone.',
    };
  return undefined;
}

/** Whether it thinks, once the request has been found right. */
export function thinks(body: Dictionary, model: GlmModel): boolean {
  if (model.thinking !== 'optional') return model.thinking === 'always';
  return !(isObject(body['thinking']) && body['thinking']['type'] === 'disabled');
}

const EFFORTS: readonly unknown[] = ['low', 'high', 'max'];

function checkThinking(body: Dictionary, model: GlmModel): GlmError | undefined {
  const { thinking, reasoning_effort: effort } = body;
  if (thinking !== undefined && thinking !== null) {
    const type = isObject(thinking) ? (thinking['type'] ?? 'enabled') : undefined;
    if (model.thinking === 'always' && type !== 'enabled')
      return {
        code: '1210',
        detail: `${model.id} always thinks: thinking.type can only be enabled.`,
      };
    if (type !== 'enabled' && type !== 'disabled') return { code: '1214', about: 'thinking.type' };
    if (isObject(thinking) && !['undefined', 'boolean'].includes(typeof thinking['clear_thinking']))
      return { code: '1214', about: 'thinking.clear_thinking' };
  }
  if (effort !== undefined && model.effort === 'strict' && !EFFORTS.includes(effort))
    return { code: '1214', about: 'reasoning_effort', detail: 'Allowed: low, high, max.' };
  return undefined;
}

function checkSampling(body: Dictionary, model: GlmModel): GlmError | undefined {
  const { do_sample: sample, max_tokens: most } = body;
  if (sample !== undefined && sample !== null && typeof sample !== 'boolean')
    return { code: '1214', about: 'do_sample' };
  // Without sampling nothing looks at the two.
  const range =
    sample === false
      ? undefined
      : (checkRange(body, 'temperature', 0, 1) ?? checkRange(body, 'top_p', 0.01, 1));
  if (range !== undefined) return range;
  if (most === undefined || most === null) return undefined;
  if (!Number.isInteger(most) || (most as number) < 1 || (most as number) > model.maxTokens)
    return { code: '1210', detail: `max_tokens must be in the range [1, ${model.maxTokens}].` };
  return undefined;
}

function checkRange(
  body: Dictionary,
  field: string,
  from: number,
  to: number,
): GlmError | undefined {
  const value = body[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && value >= from && value <= to) return undefined;
  return { code: '1210', detail: `${field} must be in the range [${from}, ${to}].` };
}

const FORMATS: readonly unknown[] = ['text', 'json_object', 'json_schema'];

function checkRest(body: Dictionary): GlmError | undefined {
  const { stop, stream, response_format: format } = body;
  if (stream !== undefined && stream !== null && typeof stream !== 'boolean')
    return { code: '1214', about: 'stream' };
  if (stop !== undefined && stop !== null) {
    if (!Array.isArray(stop) || !stop.every((word) => typeof word === 'string'))
      return { code: '1214', about: 'stop' };
    if (stop.length > 1) return { code: '1210', detail: 'stop takes one word at most.' };
  }
  if (
    format !== undefined &&
    format !== null &&
    (!isObject(format) || !FORMATS.includes(format['type']))
  )
    return { code: '1214', about: 'response_format.type' };
  return checkLength(body, 'request_id', 64) ?? checkLength(body, 'user_id', 128);
}

function checkLength(body: Dictionary, field: string, most: number): GlmError | undefined {
  const value = body[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string' && value.length >= 6 && value.length <= most) return undefined;
  return { code: '1214', about: field, detail: `6 to ${most} characters are allowed.` };
}

/**
 * Only `auto` is documented. Others are let through and mostly do nothing, but a named tool meets a
 * thinking model badly.
 */
function checkToolChoice(body: Dictionary, model: GlmModel): GlmError | undefined {
  if (isObject(body['tool_choice']) && refusesNamedTool(model) && thinks(body, model))
    return { code: '1210', detail: 'A named tool_choice cannot be used while the model thinks.' };
  return undefined;
}
