import { CallError } from '#core/call-error.ts';
import type { ChatMessage, ChatRequest, ResponseFormat, Thinking } from '#core/chat.ts';
import type { JsonObject } from '#core/json.ts';
import { notice } from '#core/messages/notices.ts';
import type { Model } from '#models/model.ts';
import { enoughEffort } from '../wire/enough-effort.ts';
import { toDataUrl, type MediaPart } from '../wire/media.ts';
import { mendCalls } from '../wire/mend-calls.ts';
import { writeFormat, writeLimit, writeToolChoice } from '../wire/openai-fields.ts';
import { writeSampling } from '../wire/openai-sampling.ts';
import { brokenTextNotices, writeMessages, writeTools } from '../wire/write-messages.ts';
import { NOTHING, type WrittenFields, type WrittenRequest } from '../wire/written.ts';
import type { Flavour } from './flavours.ts';
import { withInstruction } from '../wire/instruction.ts';

export interface Instructions {
  /** For a server that does nothing about `tool_choice`. */
  readonly demand: string | undefined;
  /** For one that does not enforce the format. */
  readonly format: string | undefined;
}

/** A request as OpenAI's clients write it, without what this kind of server does not take. */
export function writeRequest(
  request: ChatRequest,
  model: Model,
  flavour: Flavour,
  { demand, format }: Instructions,
): WrittenRequest {
  const mended = mendCalls(request.messages);
  const sampling = writeSampling(request.sampling, model);
  const thinking = writeThinking(request.thinking, flavour);
  const { userHash } = request;
  const limit = writeLimit(request.maxOutputTokens, model);
  const tools = givenTools(request, flavour);
  const enforced = enforcedFormat(request.responseFormat, flavour);
  const body: JsonObject = {
    model: model.id,
    messages: writeCustomMessages(mended.messages, flavour),
    stream: request.delivery === 'stream',
    ...(request.delivery === 'stream' &&
      flavour.streamUsage === 'asked_for' && { stream_options: { include_usage: true } }),
    ...(tools.length > 0 && { tools: writeTools(tools, (parameters) => parameters) }),
    ...(tools.length > 0 && flavour.toolChoice === 'sent' && writeToolChoice(request.toolChoice)),
    ...thinking.fields,
    ...sampling.fields,
    ...limit.fields,
    ...(request.stop && request.stop.length > 0 && { stop: request.stop }),
    ...(enforced && writeFormat(enforced)),
  };
  const said = [
    ...(demand !== undefined && flavour.toolChoice === 'ignored' ? [demand] : []),
    ...(format !== undefined && !enforced ? [format] : []),
  ];
  const about = { model: flavour.title };
  return {
    body: said.reduce(withInstruction, body),
    tools: tools.map(({ name }) => name),
    notices: [
      ...brokenTextNotices(request.messages),
      ...mended.notices,
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

function writeCustomMessages(messages: readonly ChatMessage[], flavour: Flavour): JsonObject[] {
  return writeMessages(messages, {
    part: writePicture,
    reasoning: flavour.reasoning,
    reasoningOn: 'tool_turns',
    details: 'drop',
    emptyContent: 'empty',
  });
}

function writePicture({ type, source }: MediaPart): JsonObject {
  if (type !== 'image' || !('base64' in source)) {
    throw new CallError('validation', 'A server of your own takes pictures, and those by value.', {
      field: 'messages',
    });
  }
  return { type: 'image_url', image_url: { url: toDataUrl(source) } };
}

/** To a server that ignores the choice, a choice is made by what it is given. */
function givenTools({ tools = [], toolChoice }: ChatRequest, { toolChoice: does }: Flavour) {
  if (toolChoice === 'none') return [];
  if (does === 'sent' || typeof toolChoice !== 'object') return tools;
  return tools.filter(({ name }) => name === toolChoice.name);
}

/** The format as this server enforces it; nothing when it has to be said in words. */
function enforcedFormat(
  format: ResponseFormat | undefined,
  { formats }: Flavour,
): ResponseFormat | undefined {
  if (format?.type !== 'json' || formats.includes('json_object'))
    return format?.type === 'json_schema' && !formats.includes('json_schema') ? undefined : format;
  // LM Studio knows schemas alone; any object is one of them.
  return formats.includes('json_schema') ? ANY_OBJECT : undefined;
}

const ANY_OBJECT: ResponseFormat = {
  type: 'json_schema',
  name: 'object',
  schema: { type: 'object' },
};

function writeThinking(wish: Thinking | undefined, flavour: Flavour): WrittenFields {
  const { title, efforts, thinkingOff } = flavour;
  if (!wish) return NOTHING;
  if (wish.mode === 'off') {
    return thinkingOff
      ? { fields: thinkingOff, notices: [] }
      : { fields: {}, notices: [notice('thinking_stays_on', { model: title })] };
  }
  if (wish.effort === undefined) return NOTHING;
  const chosen = enoughEffort(wish.effort, efforts);
  if (chosen === undefined)
    return { fields: {}, notices: [notice('effort_unsupported', { model: title })] };
  return {
    fields: { reasoning_effort: chosen },
    notices:
      chosen === wish.effort
        ? []
        : [notice('effort_changed', { model: title, effort: wish.effort, sent: chosen })],
  };
}
