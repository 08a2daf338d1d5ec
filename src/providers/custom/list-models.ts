import type { ProviderContext, ProviderModel } from '#core/llm/provider.ts';
import type { OpenAiClient } from '../openai-compatible/openai-client.ts';
import {
  asCount,
  asList,
  asObject,
  asText,
  type Unknown,
} from '../openai-compatible/response/json.ts';

/** The models of a vendor by `GET /models`; undefined if the answer is not a list of models. */
export async function listModels(
  client: OpenAiClient,
  context: ProviderContext,
): Promise<readonly ProviderModel[] | undefined> {
  const call = { operation: 'models', method: 'GET', path: '/models' } as const;
  const { json } = await client.call(call, context);
  return readModelList(json);
}

/** Reads a list of models: `{data: […]}` as OpenAI's, a bare list as Together's. */
export function readModelList(json: unknown): readonly ProviderModel[] | undefined {
  const entries = Array.isArray(json) ? json : asObject(json)?.['data'];
  if (!Array.isArray(entries)) return undefined;
  const objects = asList(entries)
    .map(asObject)
    .filter((entry) => entry !== undefined);
  if (objects.length === 0 && entries.length > 0) return undefined;
  return objects.filter(isForChat).flatMap(modelOf);
}

/** Mistral and Together say what a model is for. */
function isForChat(entry: Unknown): boolean {
  if (asObject(entry['capabilities'])?.['completion_chat'] === false) return false;
  const type = asText(entry['type']);
  return type === undefined || !NOT_CHAT.has(type);
}

const NOT_CHAT: ReadonlySet<string> = new Set([
  'embedding',
  'embeddings',
  'image',
  'audio',
  'rerank',
  'moderation',
  'transcribe',
  'video',
]);

const MAX_NAME_CHARS = 200;
/** Names that vendors have for the context window. */
const WINDOW = [
  'context_length',
  'context_window',
  'max_context_length',
  'max_model_len',
  'max_input_tokens',
];

function modelOf(entry: Unknown): readonly ProviderModel[] {
  // Gemini lists `models/gemini-…`, and answers to both.
  const id = (asText(entry['id']) ?? '').replace(/^models\//, '');
  if (id === '' || id.length > MAX_NAME_CHARS) return [];
  const can = asObject(entry['capabilities']);
  const window = WINDOW.map((name) => asCount(entry[name])).find((count) => count);
  const output = asCount(entry['max_completion_tokens']) ?? asCount(entry['max_tokens']);
  const tools = can?.['function_calling'];
  const vision = can?.['vision'];
  return [
    {
      id,
      ...(window !== undefined && { contextTokens: window }),
      ...(output && { maxOutputTokens: output }),
      ...(typeof tools === 'boolean' && { tools }),
      ...(typeof vision === 'boolean' && { images: vision }),
    },
  ];
}
