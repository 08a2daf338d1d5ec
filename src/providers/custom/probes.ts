import type { ProviderModel } from '#core/llm/provider.ts';
import {
  asCount,
  asList,
  asObject,
  asText,
  type Unknown,
} from '../openai-compatible/response/json.ts';
import type { FlavourId } from './flavours.ts';

/**
 * Paths that identify a server: each kind answers different ones, at no cost. Relative to the root
 * of the server.
 */
export const PROBES = {
  /** Ollama. */
  version: '/api/version',
  tags: '/api/tags',
  /** llama.cpp. */
  props: '/props',
  /** LM Studio. */
  studio: '/api/v0/models',
  /** All of them. */
  models: '/v1/models',
} as const;
export type ProbeName = keyof typeof PROBES;

/** Parsed responses. `isLoading`: llama.cpp's error while it loads the model. */
export type ProbeAnswers = Readonly<Partial<Record<ProbeName, unknown>>> & {
  readonly isLoading?: boolean;
};

export interface Server {
  /** Nothing when it is not recognised as a server. */
  readonly flavour: FlavourId | undefined;
  /** Chat models. */
  readonly models: readonly ProviderModel[];
  readonly embeddingModels: readonly string[];
  /** Whether it has a list of models. */
  readonly lists: boolean;
}

/**
 * Detects the kind of a server by responses that only this kind gives. A program that answers 200
 * to everything is not recognised.
 */
export function readServer(answers: ProbeAnswers): Server {
  const flavour = flavourOf(answers);
  const studio = studioModels(answers.studio);
  const entries = modelEntries(answers.models);
  const embeddingModels = studio
    .filter(({ type }) => type === 'embeddings')
    .flatMap(({ id }) => asText(id) ?? []);
  const models =
    flavour === 'lmstudio'
      ? studio.filter(({ type }) => type !== 'embeddings').flatMap(studioModel)
      : flavour === 'ollama'
        ? ollamaEntries(answers.tags).flatMap(({ name }) => modelOf(name, {}))
        : entries.flatMap((entry) => listedModel(entry, answers.props));
  return {
    flavour: flavour ?? (entries.length > 0 ? 'generic' : undefined),
    models,
    embeddingModels,
    lists: isModelList(answers.models) || entries.length > 0 || studio.length > 0,
  };
}

export function objectsOf(list: unknown): readonly Unknown[] {
  return asList(list)
    .map(asObject)
    .filter((entry) => entry !== undefined);
}

function flavourOf(answers: ProbeAnswers): Exclude<FlavourId, 'generic'> | undefined {
  const props = asObject(answers.props);
  if (answers.isLoading || (props && windowOf(props) !== undefined && 'total_slots' in props))
    return 'llamacpp';
  if (studioModels(answers.studio).length > 0) return 'lmstudio';
  const version = asText(asObject(answers.version)?.['version']);
  if (version !== undefined && /^\d+\.\d+/.test(version) && isTagList(answers.tags))
    return 'ollama';
  const isVllm = asList(asObject(answers.models)?.['data']).some((entry) => {
    const model = asObject(entry);
    return model?.['owned_by'] === 'vllm' || asCount(model?.['max_model_len']) !== undefined;
  });
  return isVllm && isModelList(answers.models) ? 'vllm' : undefined;
}

/** `{object: "list", data: [{id, object: "model"}]}`, as OpenAI's. */
function isModelList(answer: unknown): boolean {
  const list = asObject(answer);
  if (list?.['object'] !== 'list' || !Array.isArray(list['data'])) return false;
  return list['data'].every((entry) => {
    const model = asObject(entry);
    return asText(model?.['id']) !== undefined && model?.['object'] === 'model';
  });
}

/** The entries of a list of models. Aggregators leave out its type, and Together the list around it. */
function modelEntries(answer: unknown): readonly Unknown[] {
  const list = Array.isArray(answer) ? answer : asObject(answer)?.['data'];
  const entries = objectsOf(list);
  const areModels = entries.every(
    ({ id, object = 'model' }) => asText(id) !== undefined && object === 'model',
  );
  return areModels ? entries : [];
}

function ollamaEntries(answer: unknown): readonly Unknown[] {
  return objectsOf(asObject(answer)?.['models']);
}

function isTagList(answer: unknown): boolean {
  if (!Array.isArray(asObject(answer)?.['models'])) return false;
  return ollamaEntries(answer).every(
    ({ name, digest }) => asText(name) !== undefined && asText(digest) !== undefined,
  );
}

/** Entries with a state, which only LM Studio's list has. */
function studioModels(answer: unknown): readonly Unknown[] {
  return objectsOf(asObject(answer)?.['data']).filter(
    ({ id, type, state }) => asText(id) && asText(type) && asText(state),
  );
}

function studioModel({ id, type, max_context_length, loaded_context_length }: Unknown) {
  return modelOf(id, {
    ...tokens('contextTokens', loaded_context_length ?? max_context_length),
    images: type === 'vlm',
  });
}

function listedModel(entry: Unknown, props: unknown): readonly ProviderModel[] {
  const server = asObject(props);
  const window = server && windowOf(server);
  const vision = asObject(server?.['modalities'])?.['vision'];
  const tools = asObject(server?.['chat_template_caps'])?.['supports_tools'];
  return modelOf(entry['id'], {
    ...tokens('contextTokens', window ?? entry['max_model_len'] ?? entry['context_length']),
    ...(typeof vision === 'boolean' && { images: vision }),
    ...(typeof tools === 'boolean' && { tools }),
  });
}

/** The context window of one slot, which is what a request gets. */
function windowOf(props: Unknown): number | undefined {
  return asCount(asObject(props['default_generation_settings'])?.['n_ctx']);
}

function modelOf(id: unknown, facts: Omit<ProviderModel, 'id'>): readonly ProviderModel[] {
  const name = asText(id);
  return name === undefined || name.length > 200 ? [] : [{ id: name, ...facts }];
}

function tokens(name: 'contextTokens', value: unknown): { readonly contextTokens?: number } {
  const count = asCount(value);
  return count === undefined || count === 0 ? {} : { [name]: count };
}
