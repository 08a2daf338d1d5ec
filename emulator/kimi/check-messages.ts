import { isObject, type Dictionary } from '../is-object.ts';
import { invalid } from './errors.ts';
import type { KimiModel } from './models.ts';
import type { KimiSwitches } from './switches.ts';

const ROLES = new Set(['system', 'user', 'assistant', 'tool']);

export interface MessageRules {
  readonly model: KimiModel;
  readonly thinking: 'on' | 'off';
  readonly switches: KimiSwitches;
  /** The kind of a file of this account, by its id. */
  readonly filePurpose: (id: string) => string | undefined;
}

export function checkMessages(messages: unknown, rules: MessageRules): readonly Dictionary[] {
  if (!Array.isArray(messages) || messages.length === 0)
    throw invalid('Invalid request: messages must not be empty');
  const called = new Set<string>();
  for (const [index, message] of messages.entries()) {
    if (!isObject(message))
      throw invalid(`Invalid request: message at position ${index} must be an object`);
    checkMessage(message, index, rules, called);
  }
  checkSize(messages, rules.switches.maxMessageBytes);
  return messages as readonly Dictionary[];
}

function checkMessage(
  message: Dictionary,
  index: number,
  rules: MessageRules,
  called: Set<string>,
): void {
  const { role, content } = message;
  if (
    typeof role !== 'string' ||
    (!ROLES.has(role) && !(role === 'cache' && rules.switches.legacyCache))
  )
    throw invalid(`Invalid request: unknown role at position ${index}`);
  const calls = Array.isArray(message['tool_calls']) ? message['tool_calls'] : [];
  if (role === 'assistant' && calls.length > 0) checkCalls(message, calls, index, rules, called);
  if (role === 'assistant') checkPreserved(message, index, rules);
  if (role === 'tool') {
    const id = message['tool_call_id'];
    if (typeof id !== 'string' || !called.has(id))
      throw invalid(
        `Invalid request: tool_call_id ${typeof id === 'string' ? id : ''} is not found`,
      );
  }
  if (Array.isArray(content)) {
    checkParts(content, index, role, rules);
    return;
  }
  const mayBeEmpty =
    calls.length > 0 ||
    message['partial'] === true ||
    (role === 'system' && Array.isArray(message['tools']) && rules.model.family === 'k3');
  if (content === undefined || content === null || content === '') {
    if (mayBeEmpty) return;
    throw invalid(
      `Invalid request: the message at position ${index} with role '${role}' must not be empty`,
    );
  }
  if (typeof content !== 'string')
    throw invalid(
      `Invalid request: content at position ${index} must be a string or an array of parts`,
    );
}

/** K3 and K2.7 want the reasoning of every turn back, an empty one included. */
function checkPreserved(
  message: Dictionary,
  index: number,
  { thinking, model, switches }: MessageRules,
): void {
  const isRequired =
    switches.preservedThinking === 'required' &&
    thinking === 'on' &&
    (model.family === 'k3' || model.family === 'k2.7');
  if (!isRequired || typeof message['reasoning_content'] === 'string') return;
  throw invalid(
    `this model requires reasoning_content on every assistant message, missing at index ${index}`,
  );
}

function checkCalls(
  message: Dictionary,
  calls: readonly unknown[],
  index: number,
  { thinking, model }: MessageRules,
  called: Set<string>,
): void {
  const needsReasoning = thinking === 'on' && model.family !== 'preview';
  if (needsReasoning && typeof message['reasoning_content'] !== 'string')
    throw invalid(
      `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${index}`,
    );
  for (const call of calls) {
    if (!isObject(call) || typeof call['id'] !== 'string' || !isObject(call['function']))
      throw invalid(`Invalid request: tool_calls at position ${index} are malformed`);
    called.add(call['id']);
  }
}

function checkParts(
  parts: readonly unknown[],
  index: number,
  role: string,
  rules: MessageRules,
): void {
  const { sees, id } = rules.model;
  if (parts.length === 0)
    throw invalid(
      `Invalid request: the message at position ${index} with role '${role}' must not be empty`,
    );
  if (sees === 'nothing')
    throw invalid(
      `Invalid request: model ${id} only accepts text, content at position ${index} must be a string`,
    );
  for (const part of parts) {
    if (!isObject(part))
      throw invalid(`Invalid request: a part at position ${index} must be an object`);
    switch (part['type']) {
      case 'text':
        if (typeof part['text'] !== 'string' || part['text'] === '')
          throw invalid('text content is empty');
        break;
      case 'image_url':
        checkUrl(part['image_url'], 'image', rules);
        break;
      case 'video_url':
        if (sees !== 'images and videos')
          throw invalid(`Invalid request: model ${id} does not accept videos`);
        checkUrl(part['video_url'], 'video', rules);
        break;
      default:
        throw invalid(`Invalid request: unknown part type at position ${index}`);
    }
  }
}

/** Bytes come with the message or from a file; the vendor fetches nothing itself. */
function checkUrl(
  value: unknown,
  kind: 'image' | 'video',
  { switches, filePurpose }: MessageRules,
): void {
  const url = isObject(value) ? value['url'] : value;
  if (typeof url !== 'string')
    throw invalid(`Invalid request: ${kind}_url must be a string or have a url`);
  if (/^data:[^,]{1,200};base64,./.test(url)) return;
  if (url.startsWith('ms://')) {
    if (filePurpose(url.slice(5)) !== kind)
      throw invalid(`Invalid request: ${kind} file ${url.slice(5, 100)} not found`);
    return;
  }
  if (/^https?:\/\//.test(url) && switches.imageUrls === 'accepted') return;
  throw invalid(`unsupported ${kind} url`);
}

function checkSize(messages: unknown, maxBytes: number): void {
  if (maxBytes === 0) return;
  const bytes = Buffer.byteLength(JSON.stringify(messages));
  if (bytes > maxBytes) throw invalid(`total message size ${bytes} exceeds limit ${maxBytes}`);
}
