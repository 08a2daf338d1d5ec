import type { JsonObject } from '#core/json/json.ts';
import type {
  ChatMessage,
  ChatRequest,
  ChatTool,
  ResponseFormat,
  Sampling,
  Thinking,
} from '#core/llm/chat.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { Model } from '#models/model.ts';
import type { ChatStep, StepResult } from '../openai-compatible/chat-plan.ts';
import { unsupportedInput } from '../openai-compatible/errors/vendor-error.ts';
import {
  clampEffort,
  droppedParameterNotices,
  clampSampling,
  NO_FIELDS,
  writeUsualMaxTokens,
  type RequestFields,
  type SamplingRule,
  type VendorRequest,
} from '../openai-compatible/request/request-fields.ts';
import {
  brokenTextNotices,
  writeMessages,
  writeTools,
  type MessageStyle,
} from '../openai-compatible/request/write-messages.ts';
import { writePart } from './media.ts';
import type { Site } from './site.ts';
import { joinToolTexts } from './tool-texts.ts';
import { searchNotices, writeSearchTool } from './web-search.ts';

/**
 * Writes a request for GLM, within what the model supports. `instructions` follow the caller's
 * system messages.
 */
export function writeGlmRequest(
  request: ChatRequest,
  model: Model,
  site: Site,
  instructions: readonly string[] = [],
): VendorRequest {
  const thinking = writeThinking(request, model);
  const sampling = writeGlmSampling(request.sampling, model);
  const limit =
    request.maxOutputTokens === undefined
      ? writeUsualMaxTokens(request, model)
      : writeGlmMaxTokens(request.maxOutputTokens, model);
  const search = writeSearch(request, model, site);
  const user = writeUser(request.userHash);
  const offeredTools = selectTools(request);
  const tools = [...writeGlmTools(offeredTools), ...(search.tool ? [search.tool] : [])];
  if (tools.length > model.maxTools) {
    const message = `The search is a tool, too, and ${model.title} takes ${model.maxTools} at most.`;
    throw unsupportedInput('tools', message, 'Send fewer tools.');
  }
  const isStream = request.delivery === 'stream';
  return {
    body: {
      model: model.id,
      messages: writeGlmMessages(request, model, instructions),
      stream: isStream,
      ...(tools.length > 0 && { tools }),
      ...(offeredTools.length > 0 && { tool_choice: 'auto' }),
      // Ignored by models that do not support it.
      ...(offeredTools.length > 0 && isStream && { tool_stream: true }),
      ...thinking.fields,
      ...sampling.fields,
      ...limit.fields,
      ...(request.stop && request.stop.length > 0 && { stop: request.stop }),
      ...writeFormat(request.responseFormat, model),
      ...user.fields,
    },
    notices: [
      ...brokenTextNotices(request.messages),
      ...thinking.notices,
      ...sampling.notices,
      ...limit.notices,
      ...search.notices,
      ...user.notices,
    ],
    tools: offeredTools.map(({ name }) => name),
  };
}

/** GLM ignores the tool choice, so the choice is made by the list of tools. */
function selectTools({ tools = [], toolChoice }: ChatRequest): readonly ChatTool[] {
  if (toolChoice === 'none') return [];
  return typeof toolChoice === 'object'
    ? tools.filter(({ name }) => name === toolChoice.name)
    : tools;
}

/** A description is required, and some models refuse parameters without a type. */
export function writeGlmTools(tools: readonly ChatTool[]): JsonObject[] {
  const described = tools.map((tool) =>
    tool.description.trim() === ''
      ? { ...tool, description: tool.name.replaceAll(/[_-]+/g, ' ') }
      : tool,
  );
  return writeTools(described, (parameters) => ({
    type: 'object',
    properties: {},
    ...parameters,
  }));
}

/** GLM refuses empty content, but a tool result may be empty. */
const NO_RESULT = '(no output)';

export function writeGlmMessages(
  request: Pick<ChatRequest, 'messages' | 'thinking'>,
  model: Model,
  instructions: readonly string[] = [],
): JsonObject[] {
  const isKept = keepsReasoning(request, model);
  const style: MessageStyle = {
    part: writePart,
    reasoning: 'reasoning_content',
    reasoningOn: isKept ? 'all_turns' : 'tool_turns',
    details: 'drop',
    emptyContent: 'omit',
  };
  const isCleared = !isKept && doesThink(request.thinking, model);
  const messages = isCleared ? joinToolTexts(request.messages) : request.messages;
  const filled = messages.map((message): ChatMessage =>
    message.role === 'tool' && message.content === ''
      ? { ...message, content: NO_RESULT }
      : message,
  );
  // After the caller's system messages, so that their cached prefix stays valid.
  const at = filled.findIndex(({ role }) => role !== 'system');
  const added = instructions.map((content): ChatMessage => ({ role: 'system', content }));
  return writeMessages(filled.toSpliced(at === -1 ? filled.length : at, 0, ...added), style);
}

function writeSearch({ webSearch }: ChatRequest, { title, tools }: Model, site: Site) {
  if (!webSearch) return { notices: [] };
  if (tools === 'no') {
    return { notices: [notice('search_unsupported', { model: title, reason: 'model' })] };
  }
  return { tool: writeSearchTool(webSearch, site), notices: searchNotices(webSearch) };
}

const MIN_USER_CHARS = 6;
const MAX_USER_CHARS = 128;

const USER_TOO_SHORT = notice('parameter_dropped', {
  model: 'GLM',
  parameters: ['userHash'],
  reason: 'too_short',
});

function writeUser(hash: string | undefined): RequestFields {
  if (hash === undefined) return NO_FIELDS;
  return hash.length < MIN_USER_CHARS
    ? { fields: {}, notices: [USER_TOO_SHORT] }
    : { fields: { user_id: hash.slice(0, MAX_USER_CHARS).toWellFormed() }, notices: [] };
}

/** GLM silently ignores schemas, so at most a JSON object is requested. */
function writeFormat(format: ResponseFormat | undefined, { json }: Model): JsonObject {
  if (!format || json === 'none') return {};
  const root = format.type === 'json_schema' ? format.schema['type'] : 'object';
  const isObject = root === undefined || root === 'object';
  return isObject ? { response_format: { type: 'json_object' } } : {};
}

/** `max_tokens`, lowered to the model's limit: GLM refuses more. */
function writeGlmMaxTokens(
  requested: number,
  { title, maxOutputTokens: most }: Model,
): RequestFields {
  const limit = { model: title, limit: most, requested, reason: 'model' } as const;
  const notices = requested > most ? [notice('max_tokens_lowered', limit)] : [];
  return { fields: { max_tokens: Math.min(requested, most) }, notices };
}

const RANGE = /max_tokens\D{0,60}\b1\D{1,6}(\d{1,7})\b/;

/**
 * Retries with the limit that a refusal names: the documentation is inconsistent about the limits
 * of vision models.
 */
export function withinNamedLimit(
  { body, end, hasContent }: StepResult,
  { title }: Model,
): ChatStep | undefined {
  if (hasContent || end.is !== 'failed' || end.error.class !== 'bad_request') return undefined;
  const most = Number(RANGE.exec(end.error.vendorText ?? '')?.[1]);
  const sent = body['max_tokens'];
  if (typeof sent !== 'number' || !(most >= 1 && most < sent)) return undefined;
  return {
    body: { ...body, max_tokens: most },
    notices: [
      notice('max_tokens_lowered', {
        model: title,
        limit: most,
        requested: sent,
        reason: 'refused',
      }),
    ],
  };
}

/**
 * Sampling fields. Temperature 0 is `do_sample: false` at GLM, which ignores `temperature` and
 * `top_p`.
 */
function writeGlmSampling(requested: Sampling = {}, model: Model): RequestFields {
  const fitted = clampSampling(requested, model, rulesFor(requested, model));
  const notices = [...fitted.notices, ...droppedParameterNotices(model, fitted)];
  let fields: JsonObject = fitted.fields;
  if (fields['temperature'] === 0) {
    if (fields['top_p'] !== undefined)
      notices.push(
        notice('parameter_dropped', {
          model: model.title,
          parameters: ['topP'],
          reason: 'temperature_zero',
        }),
      );
    fields = { do_sample: false };
  }
  const { seed } = requested;
  return {
    fields: Number.isSafeInteger(seed) ? { ...fields, seed: seed as number } : fields,
    notices,
  };
}

/**
 * GLM has no penalties and would silently ignore them. A penalty of 0 is left out without a notice.
 */
function rulesFor(requested: Sampling, { sampling }: Model): readonly SamplingRule[] {
  const penalties = (['presencePenalty', 'frequencyPenalty'] as const).filter(
    (name) => requested[name],
  );
  return [
    { option: 'temperature', field: 'temperature', limits: sampling.temperature },
    { option: 'topP', field: 'top_p', limits: sampling.topP },
    ...penalties.map((name) => ({ option: name, field: name, limits: 'fixed' }) as const),
  ];
}

/**
 * The fields `thinking` and `reasoning_effort`. Without an option the vendor's default applies,
 * except that it keeps the reasoning that is sent back.
 */
function writeThinking(
  request: Pick<ChatRequest, 'messages' | 'thinking'>,
  model: Model,
): RequestFields {
  const { thinking: requested } = request;
  const isKept = keepsReasoning(request, model);
  const kept = isKept ? { thinking: { type: 'enabled', clear_thinking: false } } : {};
  if (!requested) return isKept ? { fields: kept, notices: [] } : NO_FIELDS;
  const { control } = model.thinking;
  if (control === 'never') {
    const unsupported = notice('thinking_unsupported', { model: model.title });
    const notices = requested.mode === 'on' ? [unsupported] : [];
    return { fields: {}, notices };
  }
  const { fields, notices } = requested.mode === 'off' ? turnOff(model) : turnOn(requested, model);
  return { fields: { ...fields, ...kept }, notices };
}

function turnOff({ title, thinking }: Model): RequestFields {
  if (thinking.control === 'switch')
    return { fields: { thinking: { type: 'disabled' } }, notices: [] };
  const [weakest] = thinking.efforts;
  return weakest === undefined
    ? { fields: {}, notices: [notice('thinking_stays_on', { model: title })] }
    : {
        fields: { reasoning_effort: weakest },
        notices: [notice('thinking_stays_on', { model: title, effort: weakest })],
      };
}

function turnOn({ effort, keep }: Thinking, { title, thinking }: Model): RequestFields {
  const notices: Notice[] = [];
  const chosen = effort === undefined ? undefined : clampEffort(effort, thinking.efforts);
  if (effort !== undefined && chosen === undefined)
    notices.push(notice('effort_unsupported', { model: title }));
  else if (effort !== undefined && chosen !== undefined && chosen !== effort)
    notices.push(notice('effort_changed', { model: title, effort, sent: chosen }));
  if (keep === 'all' && !thinking.keeps)
    notices.push(notice('reasoning_not_kept', { model: title }));
  return {
    fields: {
      thinking: {
        type: 'enabled',
        ...(keep !== undefined && thinking.keeps && { clear_thinking: keep === 'none' }),
      },
      ...(chosen !== undefined && { reasoning_effort: chosen }),
    },
    notices,
  };
}

/**
 * Fields that reduce thinking compared with this body; nothing when it is already at the minimum.
 */
export function lessThinking(body: JsonObject, { thinking }: Model): JsonObject | undefined {
  if (thinking.control === 'switch') {
    const now = body['thinking'] as JsonObject | undefined;
    return now?.['type'] === 'disabled' ? undefined : { thinking: { type: 'disabled' } };
  }
  const [weakest] = thinking.efforts;
  if (thinking.control === 'never' || weakest === undefined) return undefined;
  return body['reasoning_effort'] === weakest ? undefined : { reasoning_effort: weakest };
}

/** Whether a model thinks about a request. */
function doesThink(requested: Thinking | undefined, { thinking }: Model): boolean {
  if (thinking.control !== 'switch') return thinking.control === 'always';
  return (requested?.mode ?? thinking.default) === 'on';
}

/**
 * Whether the reasoning of all earlier turns is sent back, unchanged, and kept there: by default
 * where there is any.
 */
function keepsReasoning(
  { messages, thinking }: Pick<ChatRequest, 'messages' | 'thinking'>,
  model: Model,
): boolean {
  if (!model.thinking.keeps || !doesThink(thinking, model) || thinking?.keep === 'none')
    return false;
  return thinking?.keep === 'all' || messages.some(hasReasoning);
}

function hasReasoning(message: ChatMessage): boolean {
  return message.role === 'assistant' && (message.reasoning ?? '') !== '';
}
