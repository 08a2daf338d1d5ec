import { isObject, type Dictionary } from '../is-object.ts';
import { toPieces } from '../tokens.ts';
import type { Fault } from '../vendor.ts';
import { compose, limitOf, messagesOf } from './compose.ts';
import { findOllama, type OllamaModel } from './ollama-models.ts';
import { truncate } from './ollama-messages.ts';
import type { BudgetedAnswer } from '../openai/budgeted-answer.ts';
import { countPrompt } from '../openai/prompt.ts';

export interface NativeAnswer {
  readonly status: number;
  readonly lines: readonly object[];
}

const MS = 1_000_000;

/** `POST /api/chat`: lines of JSON, unless `stream` is false, and arguments of tools as objects. */
export function nativeChat(
  json: unknown,
  numCtx: number,
  nowMs: number,
  fault: Fault | undefined,
): NativeAnswer {
  if (!isObject(json)) return fail(400, 'missing request body');
  if (typeof json['model'] !== 'string' || json['model'] === '')
    return fail(400, 'model is required');
  const model = findOllama(json['model']);
  if (model === undefined) return fail(404, `model '${json['model']}' not found`);
  const messages = messagesOf(json);
  const base = { model: json['model'], created_at: new Date(nowMs).toISOString() };
  // Without messages it only loads the model.
  if (messages === undefined)
    return {
      status: 200,
      lines: [
        { ...base, message: { role: 'assistant', content: '' }, done_reason: 'load', done: true },
      ],
    };
  const problem = unfit(json, model);
  if (problem !== undefined) return fail(400, problem);
  const options = isObject(json['options']) ? json['options'] : {};
  const seen = truncate(messages.map(asOpenai), limitOf(options, 'num_ctx') ?? numCtx);
  const said = compose({
    body: { tools: json['tools'], ...formatOf(json['format']), stop: options['stop'] },
    messages: seen,
    thinks: model.can.includes('thinking') && json['think'] !== false,
    maxTokens: limitOf(options, 'num_predict') ?? 4_096,
    fault,
  });
  const last = {
    ...base,
    done: true,
    done_reason: said.finish === 'length' ? 'length' : 'stop',
    total_duration: (10 + said.outputTokens) * MS,
    load_duration: MS,
    prompt_eval_count: countPrompt(seen, json['tools']).total,
    prompt_eval_duration: 5 * MS,
    eval_count: said.outputTokens,
    eval_duration: said.outputTokens * MS,
  };
  if (json['stream'] === false)
    return { status: 200, lines: [{ ...last, message: messageOf(said) }] };
  const pieces = [
    ...toPieces(said.reasoning).map((thinking) => ({ role: 'assistant', content: '', thinking })),
    ...toPieces(said.text).map((content) => ({ role: 'assistant', content })),
    ...(said.calls.length > 0 ? [messageOf({ ...said, reasoning: '' })] : []),
  ].map((message) => ({ ...base, message, done: false }));
  if (fault?.id === 'F11.error')
    return {
      status: 200,
      lines: [
        ...pieces.slice(0, fault.after ?? 0),
        { error: 'model runner has unexpectedly stopped' },
      ],
    };
  return {
    status: 200,
    lines: [...pieces, { ...last, message: { role: 'assistant', content: '' } }],
  };
}

/** `POST /api/generate`: one prompt, and `response` instead of a message. */
export function nativeGenerate(
  json: unknown,
  numCtx: number,
  nowMs: number,
  fault: Fault | undefined,
): NativeAnswer {
  if (!isObject(json)) return fail(400, 'missing request body');
  const { prompt, system, images, ...rest } = json;
  const messages = [
    ...(typeof system === 'string' && system !== '' ? [{ role: 'system', content: system }] : []),
    { role: 'user', content: prompt, ...(Array.isArray(images) && { images }) },
  ];
  const isLoad = typeof prompt !== 'string' || prompt === '';
  const answer = nativeChat(isLoad ? rest : { ...rest, messages }, numCtx, nowMs, fault);
  return { ...answer, lines: answer.lines.map(asGenerated) };
}

function asGenerated(line: object): object {
  const { message, ...rest } = line as Dictionary;
  if (!isObject(message)) return line;
  const { content, thinking } = message;
  return { ...rest, response: content, ...(thinking === undefined ? {} : { thinking }) };
}

const fail = (status: number, error: string): NativeAnswer => ({ status, lines: [{ error }] });

function unfit(json: Dictionary, model: OllamaModel): string | undefined {
  const hasTools = Array.isArray(json['tools']) && json['tools'].length > 0;
  if (hasTools && !model.can.includes('tools'))
    return `registry.ollama.ai/library/${model.name} does not support tools`;
  if (json['think'] === true && !model.can.includes('thinking'))
    return `"${model.name}" does not support thinking`;
  return undefined;
}

function messageOf(said: BudgetedAnswer): Dictionary {
  return {
    role: 'assistant',
    content: said.text,
    ...(said.reasoning === '' ? {} : { thinking: said.reasoning }),
    ...(said.calls.length === 0
      ? {}
      : {
          tool_calls: said.calls.map((call) => ({
            function: { name: call.name, arguments: parse(call.arguments) },
          })),
        }),
  };
}

function asOpenai(message: Dictionary): Dictionary {
  const { images, content, tool_calls: calls } = message;
  const mapped = Array.isArray(calls)
    ? (calls as readonly unknown[]).filter(isObject).map((call, index) => ({
        id: `call_${index}`,
        function: isObject(call['function'])
          ? { ...call['function'], arguments: JSON.stringify(call['function']['arguments'] ?? {}) }
          : {},
      }))
    : undefined;
  const withCalls = mapped === undefined ? message : { ...message, tool_calls: mapped };
  if (!Array.isArray(images) || images.length === 0) return withCalls;
  const pictures = images.map((data) => ({
    type: 'image_url',
    image_url: { url: `data:;base64,${String(data)}` },
  }));
  return {
    ...withCalls,
    content: [...pictures, { type: 'text', text: typeof content === 'string' ? content : '' }],
  };
}

function formatOf(format: unknown): Dictionary {
  if (format === 'json') return { response_format: { type: 'json_object' } };
  if (!isObject(format)) return {};
  return {
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: format } },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // A fault may have cut it; an object is what is promised.
    return {};
  }
}
