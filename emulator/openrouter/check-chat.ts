import { isObject, type Dictionary } from '../is-object.ts';
import { checkSchema } from '../kimi/check-schema.ts';
import { Refusal } from '../kimi/errors.ts';
import { bad, noProvider, type RoutedError } from './errors.ts';
import { findRouted, type RoutedModel } from './models.ts';
import { readWebPlugin, type WebSearch } from './web-plugin.ts';

export interface RoutedChat {
  readonly body: Dictionary;
  readonly messages: readonly Dictionary[];
  readonly model: RoutedModel;
  readonly provider: string;
  readonly thinks: boolean;
  /** What is to be read on the web first. */
  readonly web: WebSearch | undefined;
}

export const EFFORTS: readonly unknown[] = [
  'max',
  'xhigh',
  'high',
  'medium',
  'low',
  'minimal',
  'none',
];

export function checkRouted(json: unknown): RoutedChat | { readonly error: RoutedError } {
  if (!isObject(json)) return { error: bad('The request body is not valid JSON.') };
  const messages: unknown = json['messages'];
  if (!Array.isArray(messages) || messages.length === 0 || !messages.every(isObject))
    return { error: bad('Input required: specify "prompt" or "messages"') };
  const error = checkFields(json);
  if (error !== undefined) return { error };
  const names = namesOf(json);
  if ('error' in names) return names;
  const web = readWebPlugin(json);
  if ('error' in web) return web;
  const routed = route(json, messages, names.names);
  return 'error' in routed ? routed : { ...routed, web: web.search };
}

function namesOf(
  body: Dictionary,
): { readonly names: readonly string[] } | { readonly error: RoutedError } {
  const { model, models } = body;
  if (model !== undefined && typeof model !== 'string')
    return { error: bad('model: a string is expected') };
  if (
    models !== undefined &&
    !(Array.isArray(models) && models.every((one) => typeof one === 'string'))
  )
    return { error: bad('models: an array of strings is expected') };
  const names = [
    ...(model === undefined ? [] : [model]),
    ...((models as readonly string[] | undefined) ?? []),
  ];
  return names.length === 0 ? { error: bad('No models provided') } : { names };
}

/** The first of the list that a provider serves; an id that does not exist is refused at once. */
function route(
  body: Dictionary,
  messages: readonly Dictionary[],
  names: readonly string[],
): Omit<RoutedChat, 'web'> | { readonly error: RoutedError } {
  let last: RoutedError | undefined;
  for (const name of names) {
    const model = findRouted(name);
    if (model === undefined) return { error: bad(`${name} is not a valid model ID`) };
    const provider = pickProvider(body, model);
    const unfit =
      model.isDown === true || provider === undefined
        ? noProvider(name)
        : unsupported(body, messages, model);
    if (unfit === undefined && provider !== undefined)
      return { body, messages, model, provider, thinks: model.thinks && effortOf(body) !== 'none' };
    last = unfit;
  }
  return { error: last ?? bad('No models provided') };
}

function pickProvider(body: Dictionary, model: RoutedModel): string | undefined {
  const requested = isObject(body['provider']) ? body['provider'] : {};
  const named = (key: string): readonly string[] | undefined => {
    const list = requested[key];
    return Array.isArray(list) ? list.map((one) => String(one).toLowerCase()) : undefined;
  };
  const isIn = (list: readonly string[] | undefined, provider: string): boolean =>
    list?.some((one) => one === provider.toLowerCase() || one === slugOf(provider)) ?? false;
  const only = named('only');
  const allowed = model.providers.filter(
    (provider) => (only === undefined || isIn(only, provider)) && !isIn(named('ignore'), provider),
  );
  const order = named('order');
  if (order === undefined) return allowed[0];
  const preferred = order.flatMap((one) => allowed.filter((provider) => isIn([one], provider)))[0];
  return preferred ?? (requested['allow_fallbacks'] === false ? undefined : allowed[0]);
}

const slugOf = (provider: string): string => provider.toLowerCase().replaceAll(/[ .]/g, '-');

function unsupported(
  body: Dictionary,
  messages: readonly Dictionary[],
  model: RoutedModel,
): RoutedError | undefined {
  const wantsTools = Array.isArray(body['tools']) && body['tools'].length > 0;
  if (wantsTools && !model.tools)
    return { code: 404, message: 'No endpoints found that support tool use.' };
  const hasImage = messages.some(
    ({ content }) =>
      Array.isArray(content) &&
      content.some((part) => isObject(part) && part['type'] === 'image_url'),
  );
  if (hasImage && !model.images)
    return { code: 404, message: 'No endpoints found that support image input' };
  if (model.mandatory && effortOf(body) === 'none')
    return bad('Reasoning is mandatory for this endpoint and cannot be disabled.');
  if (model.id.startsWith('moonshotai/')) return checkMoonshotTools(body);
  return undefined;
}

/** Moonshot's rules for schemas hold behind the router, too. */
function checkMoonshotTools({ tools }: Dictionary): RoutedError | undefined {
  if (!Array.isArray(tools)) return undefined;
  try {
    for (const tool of tools)
      if (isObject(tool) && isObject(tool['function'])) checkSchema(tool['function']['parameters']);
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    return bad('Provider returned error', {
      raw: thrown.message,
      provider_name: 'Moonshot AI',
      error_type: 'invalid_request',
    });
  }
}

export function effortOf(body: Dictionary): unknown {
  const { reasoning } = body;
  if (isObject(reasoning)) {
    if (reasoning['enabled'] === false) return 'none';
    if (reasoning['effort'] !== undefined) return reasoning['effort'];
  }
  return body['reasoning_effort'];
}

const MAX_SESSION_CHARS = 256;

function checkFields(body: Dictionary): RoutedError | undefined {
  const { reasoning, provider, stream, session_id: session } = body;
  if (reasoning !== undefined && reasoning !== null && !isObject(reasoning))
    return bad('reasoning: an object is expected');
  const effort = effortOf(body);
  if (effort !== undefined && effort !== null && !EFFORTS.includes(effort))
    return bad(`reasoning.effort: expected one of ${EFFORTS.join('|')}`);
  if (typeof session === 'string' && session.length > MAX_SESSION_CHARS)
    return bad(`session_id: at most ${MAX_SESSION_CHARS} characters are expected`);
  if (provider !== undefined && provider !== null && !isObject(provider))
    return bad('provider: an object is expected');
  if (stream !== undefined && stream !== null && typeof stream !== 'boolean')
    return bad('stream: a boolean is expected');
  return (
    range(body, 'temperature', 0, 2) ??
    range(body, 'top_p', 0, 1) ??
    range(body, 'max_tokens', 1, Number.MAX_SAFE_INTEGER) ??
    range(body, 'max_completion_tokens', 1, Number.MAX_SAFE_INTEGER)
  );
}

function range(body: Dictionary, field: string, from: number, to: number): RoutedError | undefined {
  const value = body[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && value >= from && value <= to) return undefined;
  return bad(`${field}: a number from ${from}${to > 1e15 ? '' : ` to ${to}`} is expected`);
}
