import { CallError } from '#core/errors/call-error.ts';
import type { JsonObject } from '#core/json/json.ts';
import type {
  ChatEvent,
  ChatMessage,
  ChatRequest,
  ResponseFormat,
  Thinking,
} from '#core/llm/chat.ts';
import type { ProviderId } from '#core/llm/provider.ts';
import { commandFix, fix } from '#core/messages/fixes.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { estimateChat } from '#models/estimate-chat.ts';
import type { Model } from '#models/model.ts';
import type { ChatPlan } from '../openai-compatible/chat-plan.ts';
import type { VendorError } from '../openai-compatible/errors/vendor-error.ts';
import { createFollowUpSteps } from '../openai-compatible/follow-up/follow-up-steps.ts';
import type { LearnedQuirks } from '../openai-compatible/follow-up/learned-quirks.ts';
import { toDataUrl, type MediaPart } from '../openai-compatible/request/media.ts';
import { repairToolCalls } from '../openai-compatible/request/repair-tool-calls.ts';
import {
  clampEffort,
  NO_FIELDS,
  writeFormat,
  writeMaxTokens,
  writeSampling,
  writeToolChoice,
  type RequestFields,
  type VendorRequest,
} from '../openai-compatible/request/request-fields.ts';
import {
  brokenTextNotices,
  withInstruction,
  writeMessages,
  writeTools,
} from '../openai-compatible/request/write-messages.ts';
import type { Flavour } from './flavours.ts';

/** A model, its server and what was learned about them. */
export interface CustomTarget {
  readonly model: Model;
  readonly flavour: Flavour;
  readonly quirks: LearnedQuirks;
  readonly provider: ProviderId;
}

interface CustomPlan {
  readonly plan: ChatPlan;
  /** Called with each error of the server. */
  readonly refusedWith: (error: VendorError) => void;
}

/** Plans one chat, for a checked request with inline pictures. */
export function planCustomChat(
  request: ChatRequest,
  { model, flavour, quirks, provider }: CustomTarget,
  before: readonly Notice[],
): CustomPlan {
  let refusal: VendorError | undefined;
  const followUp = createFollowUpSteps(request, {
    about: { provider, title: flavour.title, model: model.id },
    model,
    quirks,
    refusal: () => refusal,
    lessThinking: (body) => lessThinking(body, flavour),
  });
  const { body, notices, tools } = writeCustomRequest(request, model, flavour, {
    demand: followUp.toolChoiceEnforcer?.instruction,
    format: followUp.formatEnforcer?.instruction,
  });
  return {
    plan: {
      model: model.id,
      delivery: request.delivery,
      tools,
      maxOutputTokens: request.maxOutputTokens,
      first: followUp.first(body, [...before, ...notices]),
      next: followUp.next,
      ...(followUp.repair && { repair: followUp.repair }),
    },
    refusedWith: (error) => (refusal = error),
  };
}

function lessThinking(body: JsonObject, { thinkingOff }: Flavour): JsonObject | undefined {
  if (!thinkingOff || Object.keys(thinkingOff).some((field) => field in body)) return undefined;
  return thinkingOff;
}

interface Instructions {
  /** For a server that ignores `tool_choice`. */
  readonly demand: string | undefined;
  /** For a server that does not enforce the format. */
  readonly format: string | undefined;
}

/** Writes an OpenAI chat request, without what this kind of server does not support. */
function writeCustomRequest(
  request: ChatRequest,
  model: Model,
  flavour: Flavour,
  { demand, format }: Instructions,
): VendorRequest {
  const repaired = repairToolCalls(request.messages);
  const sampling = writeSampling(request.sampling, model);
  const thinking = writeThinking(request.thinking, flavour);
  const { userHash } = request;
  const limit = writeMaxTokens(request.maxOutputTokens, model);
  const tools = selectTools(request, flavour);
  const enforced = enforcedFormat(request.responseFormat, flavour);
  const body: JsonObject = {
    model: model.id,
    messages: writeCustomMessages(repaired.messages, flavour),
    stream: request.delivery === 'stream',
    ...(request.delivery === 'stream' &&
      flavour.streamUsage === 'asked_for' && { stream_options: { include_usage: true } }),
    ...(tools.length > 0 && { tools: writeTools(tools, (parameters) => parameters) }),
    ...(tools.length > 0 && flavour.toolChoice === 'sent' && writeToolChoice(request.toolChoice)),
    ...thinking.fields,
    ...sampling.fields,
    ...inLimitField(limit.fields, flavour),
    ...(request.stop && request.stop.length > 0 && { stop: request.stop }),
    ...(enforced && writeFormat(enforced)),
  };
  const instructions = [
    ...(demand !== undefined && flavour.toolChoice === 'ignored' ? [demand] : []),
    ...(format !== undefined && !enforced ? [format] : []),
  ];
  const about = { model: flavour.title };
  return {
    body: instructions.reduce(withInstruction, body),
    tools: tools.map(({ name }) => name),
    notices: [
      ...brokenTextNotices(request.messages),
      ...repaired.notices,
      ...thinking.notices,
      ...sampling.notices,
      ...limit.notices,
      ...(request.thinking?.keep === 'all' ? [notice('reasoning_not_kept', about)] : []),
      ...(userHash === undefined
        ? []
        : [
            notice('parameter_dropped', {
              ...about,
              parameters: ['userHash'],
              reason: 'unsupported',
            }),
          ]),
      ...(request.webSearch ? [notice('search_unsupported', { ...about, reason: 'model' })] : []),
    ],
  };
}

/** The output limit under the name that this vendor has for it. */
function inLimitField(fields: JsonObject, { limitField = 'max_tokens' }: Flavour): JsonObject {
  const { max_tokens: tokens, ...others } = fields;
  return tokens === undefined ? fields : { ...others, [limitField]: tokens };
}

function writeCustomMessages(messages: readonly ChatMessage[], flavour: Flavour): JsonObject[] {
  return writeMessages(messages, {
    part: writePicture,
    reasoning: flavour.reasoning,
    reasoningOn: 'tool_turns',
    details: flavour.details ?? 'drop',
    emptyContent: 'empty',
  });
}

function writePicture({ type, source }: MediaPart): JsonObject {
  if (type !== 'image' || !('base64' in source)) {
    throw new CallError('validation', 'A custom server accepts images only, and only by value.', {
      field: 'messages',
    });
  }
  return { type: 'image_url', image_url: { url: toDataUrl(source) } };
}

/** For a server that ignores the tool choice, the choice is made by the list of tools. */
function selectTools({ tools = [], toolChoice }: ChatRequest, { toolChoice: does }: Flavour) {
  if (toolChoice === 'none') return [];
  if (does === 'sent' || typeof toolChoice !== 'object') return tools;
  return tools.filter(({ name }) => name === toolChoice.name);
}

/** The format as this server enforces it; nothing when the prompt has to request it. */
function enforcedFormat(
  format: ResponseFormat | undefined,
  { formats }: Flavour,
): ResponseFormat | undefined {
  if (format?.type !== 'json' || formats.includes('json_object'))
    return format?.type === 'json_schema' && !formats.includes('json_schema') ? undefined : format;
  // LM Studio supports schemas only, so any JSON object is requested by a schema.
  return formats.includes('json_schema') ? ANY_OBJECT : undefined;
}

const ANY_OBJECT: ResponseFormat = {
  type: 'json_schema',
  name: 'object',
  schema: { type: 'object' },
};

function writeThinking(requested: Thinking | undefined, flavour: Flavour): RequestFields {
  const { title, efforts, thinkingOff } = flavour;
  if (!requested) return NO_FIELDS;
  if (requested.mode === 'off') {
    return thinkingOff
      ? { fields: thinkingOff, notices: [] }
      : { fields: {}, notices: [notice('thinking_stays_on', { model: title })] };
  }
  if (requested.effort === undefined) return NO_FIELDS;
  const chosen = clampEffort(requested.effort, efforts);
  if (chosen === undefined)
    return { fields: {}, notices: [notice('effort_unsupported', { model: title })] };
  return {
    fields: { reasoning_effort: chosen },
    notices:
      chosen === requested.effort
        ? []
        : [notice('effort_changed', { model: title, effort: requested.effort, sent: chosen })],
  };
}

/** The smallest default context window; a shorter prompt cannot have been cut. */
const LEAST_WINDOW = 4_096;
/** Tokenizers differ; a prompt has been cut when less than this share of it was read. */
const READ_SHARE = 0.6;

export interface TruncationGuard {
  readonly notices: readonly Notice[];
  /** A notice when the server read far fewer tokens than it was sent. */
  readonly before?: (event: ChatEvent) => ChatEvent | undefined;
}

const UNWATCHED: TruncationGuard = { notices: [] };

/**
 * Guards against servers that silently cut long prompts. A prompt longer than a known context
 * window is refused, with an unknown one the caller is warned, and the tokens that the server
 * reports are compared with what was sent.
 */
export function guardTruncation(
  { messages, tools }: ChatRequest,
  window: number | undefined,
  { title, tooLong }: Flavour,
): TruncationGuard {
  if (tooLong === 'refused') return UNWATCHED;
  const sent = estimateChat(messages, tools);
  if (window !== undefined && sent > window) {
    const message = `The prompt has about ${sent} tokens, and ${title} would silently cut it to its window of ${window}.`;
    throw new CallError('context_length', message, {
      contextTokens: window,
      fixes: [
        fix('send_less'),
        commandFix('OLLAMA_CONTEXT_LENGTH=32768 ollama serve', 'give Ollama a larger window'),
      ],
    });
  }
  if (sent < LEAST_WINDOW) return UNWATCHED;
  const warning = notice('prompt_cut_possible', { model: title, tokens: sent });
  const before = (event: ChatEvent): ChatEvent | undefined => {
    if (event.type !== 'usage' || event.usage.estimated) return undefined;
    const { input } = event.usage;
    if (input >= sent * READ_SHARE) return undefined;
    const cut = { model: title, readTokens: input, sentTokens: sent };
    return { type: 'notice', notice: notice('prompt_cut', cut) };
  };
  return { notices: window === undefined ? [warning] : [], before };
}
