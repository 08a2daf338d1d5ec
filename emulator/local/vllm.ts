import { isObject, type Dictionary } from '../is-object.ts';
import { createSwitches } from '../switches.ts';
import type { Ask, FaultAnswer, Reply, Vendor } from '../vendor.ts';
import { compose, limitOf, messagesOf } from './compose.ts';
import { embeddingsBody, readEmbeddings } from './embeddings.ts';
import { throughFaults } from '../openai/through-faults.ts';
import { modelOf } from '../openai/model-of.ts';
import { countPrompt } from '../openai/prompt.ts';
import { thinkAloud } from '../openai/budgeted-answer.ts';
import { speakStream, speakWhole, streamUsageOf, type Accent } from './speak.ts';

export const createVllmSwitches = () =>
  createSwitches(
    {
      /** What `--served-model-name` said. */
      served: 'Qwen/Qwen3-8B' as string,
      maxModelLen: 32_768 as number,
      /** Older versions answer with a flat error, newer ones nest it. */
      errors: 'nested' as 'nested' | 'flat',
      /** Versions before one change of 2024 refuse members of messages that they do not know. */
      extraMembers: 'ignored' as 'ignored' | 'forbidden',
      /** Whether it was started with `--enable-auto-tool-choice --tool-call-parser`. */
      toolParser: 'on' as 'on' | 'off',
      /** Older key, newer key, or none: then thoughts stand in the text. */
      reasoning: 'reasoning_content' as 'reasoning_content' | 'reasoning' | 'inline',
      /** `--api-key`; empty for none. */
      apiKey: '' as string,
    },
    {
      errors: ['nested', 'flat'],
      extraMembers: ['ignored', 'forbidden'],
      toolParser: ['on', 'off'],
      reasoning: ['reasoning_content', 'reasoning', 'inline'],
    },
  );

export type VllmSwitches = ReturnType<typeof createVllmSwitches>['switches'];

const MESSAGE_MEMBERS: readonly string[] = [
  'role',
  'content',
  'name',
  'tool_calls',
  'tool_call_id',
  'refusal',
  'audio',
];

const TYPES: Readonly<Record<number, string>> = {
  404: 'NotFoundError',
  400: 'BadRequestError',
  503: 'ServiceUnavailableError',
};

export function createVllm(): Vendor<VllmSwitches> {
  const toggles = createVllmSwitches();
  const { switches } = toggles;
  let made = 0;

  function errorBody(status: number, message: string): object {
    const error = {
      message,
      type: TYPES[status] ?? 'InternalServerError',
      param: null,
      code: status,
    };
    return switches.errors === 'flat' ? { object: 'error', ...error } : { error };
  }

  const fail = (reply: Reply, status: number, message: string): Promise<void> =>
    reply.json(status, errorBody(status, message));

  function check(body: Dictionary, messages: readonly Dictionary[]): string | undefined {
    const choice = body['tool_choice'];
    const hasTools = Array.isArray(body['tools']) && body['tools'].length > 0;
    if (switches.toolParser === 'off' && hasTools && (choice === undefined || choice === 'auto'))
      return '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set';
    if (switches.extraMembers === 'ignored') return undefined;
    for (const [index, message] of messages.entries())
      for (const name of Object.keys(message))
        if (!MESSAGE_MEMBERS.includes(name))
          return `[{'type': 'extra_forbidden', 'loc': ('body', 'messages', ${index}, '${name}'), 'msg': 'Extra inputs are not permitted'}]`;
    return undefined;
  }

  async function chat(ask: Ask, reply: Reply): Promise<void> {
    const body = ask.json;
    if (!isObject(body)) return fail(reply, 400, 'There was an error parsing the body');
    const messages = messagesOf(body);
    if (messages === undefined)
      return fail(
        reply,
        400,
        "[{'type': 'missing', 'loc': ('body', 'messages'), 'msg': 'Field required'}]",
      );
    if (body['model'] !== undefined && body['model'] !== switches.served)
      return fail(reply, 404, `The model \`${modelOf(body)}\` does not exist.`);
    const problem = check(body, messages);
    if (problem !== undefined) return fail(reply, 400, problem);
    const prompt = countPrompt(messages, body['tools']).total;
    const wanted = limitOf(body, 'max_completion_tokens', 'max_tokens');
    if (prompt + (wanted ?? 1) > switches.maxModelLen)
      return fail(reply, 400, tooLong(prompt, wanted));
    const said = compose({
      body: { ...body, ...guided(body) },
      messages,
      thinks: thinks(body),
      maxTokens: wanted ?? switches.maxModelLen - prompt,
      fault: ask.fault,
    });
    const { reasoning } = switches;
    made += 1;
    const options = body['stream_options'];
    const isContinuous =
      isObject(options) &&
      options['continuous_usage_stats'] === true &&
      options['include_usage'] === true;
    const accent: Accent = {
      id: `chatcmpl-${made.toString(16).padStart(32, '0')}`,
      created: Math.floor(ask.now() / 1_000),
      model: switches.served,
      around: {},
      last: {},
      opening: { role: 'assistant', content: '' },
      always: {},
      reasoningKey: reasoning === 'reasoning' ? 'reasoning' : 'reasoning_content',
      calls: 'pieces',
      callIndex: 'absent',
      streamUsage: isContinuous ? 'each' : streamUsageOf(options),
      streamError: { data: errorBody(500, 'EngineCore encountered an issue.') },
      fault: ask.fault,
    };
    const spoken = { said: reasoning === 'inline' ? thinkAloud(said) : said, promptTokens: prompt };
    if (body['stream'] === true) return speakStream(reply, spoken, accent);
    if (ask.fault?.id === 'F11.error') return fail(reply, 500, 'EngineCore encountered an issue.');
    return reply.json(200, speakWhole(spoken, accent));
  }

  const tooLong = (prompt: number, wanted: number | undefined): string =>
    `This model's maximum context length is ${switches.maxModelLen} tokens. However, you requested ${prompt + (wanted ?? 0)} tokens ` +
    `(${prompt} in the messages, ${wanted ?? 0} in the completion). Please reduce the length of the messages or completion.`;

  async function handle(ask: Ask, reply: Reply): Promise<void> {
    const { apiKey } = switches;
    if (
      apiKey !== '' &&
      ask.path.startsWith('/v1') &&
      ask.headers['authorization'] !== `Bearer ${apiKey}`
    )
      return reply.json(401, { error: 'Unauthorized' });
    switch (`${ask.method} ${ask.path}`) {
      case 'GET /health':
        return reply.raw(200, '', { 'content-type': 'text/plain' });
      case 'GET /version':
        return reply.json(200, { version: '0.11.0' });
      case 'GET /v1/models':
        return reply.json(200, {
          object: 'list',
          data: [
            {
              id: switches.served,
              object: 'model',
              created: Math.floor(ask.now() / 1_000),
              owned_by: 'vllm',
              root: switches.served,
              parent: null,
              max_model_len: switches.maxModelLen,
              permission: [],
            },
          ],
        });
      case 'POST /v1/chat/completions':
        return chat(ask, reply);
      case 'POST /v1/embeddings': {
        const requested = readEmbeddings(ask.json);
        if (typeof requested === 'string') return fail(reply, 400, requested);
        return reply.json(200, embeddingsBody(requested, switches.served, 1_024));
      }
      default:
        return reply.json(404, { detail: 'Not Found' });
    }
  }

  const says =
    (status: number, message: (ask: Ask) => string): FaultAnswer =>
    async (ask, reply): Promise<'answered'> => {
      await fail(reply, status, message(ask));
      return 'answered';
    };

  return {
    name: 'vllm',
    prefix: '/vllm',
    switches,
    reset() {
      toggles.reset();
      made = 0;
    },
    handle,
    faults: {
      ...throughFaults(),
      F1: says(429, () => 'Too many requests'),
      F3: says(503, () => 'The engine is overloaded'),
      F10: says(404, (ask) => `The model \`${modelOf(ask.json)}\` does not exist.`),
      F16: async (_ask, reply): Promise<'answered'> => {
        await reply.json(401, { error: 'Unauthorized' });
        return 'answered';
      },
      F24: says(400, () => tooLong(switches.maxModelLen + 1_000, undefined)),
    },
  };
}

function thinks(body: Dictionary): boolean {
  const extra = body['chat_template_kwargs'];
  return !(isObject(extra) && extra['enable_thinking'] === false);
}

/** The server's own ways to ask for a shape. */
function guided(body: Dictionary): Dictionary {
  const outputs = body['structured_outputs'];
  const schema = isObject(outputs) ? outputs['json'] : body['guided_json'];
  if (!isObject(schema)) return {};
  return { response_format: { type: 'json_schema', json_schema: { name: 'guided', schema } } };
}
