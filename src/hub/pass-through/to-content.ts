import type { Json, JsonObject } from '#core/json/json.ts';
import { asList } from '#core/json/json.ts';
import { LightAbortController } from '#core/net/abort.ts';
import type { ResourceContents } from '#core/tools/content.ts';
import type { ForeignContent } from '#core/tools/foreign-content.ts';
import type { InputRequired } from '#core/tools/input-request.ts';
import type { Complete, Prompt, PromptAnswer } from '#core/tools/prompt.ts';
import type { Resource, ResourceTemplate } from '#core/tools/resource.ts';
import type { ToolContext } from '#core/tools/tool.ts';
import { isObject } from '#mcp/json-rpc.ts';
import { upstreamToolName } from '../catalogue/tool-name.ts';
import { protocolError } from '../connection/rpc-client.ts';
import { requestUpstream, type PassThroughOptions } from '../input/request-upstream.ts';
import { sanitise } from '../scan/sanitise-result.ts';
import { serverUri } from './server-uri.ts';
import type { UpstreamContent } from './list-content.ts';

export interface ToContentOptions extends PassThroughOptions {
  /** A client subscribes to a resource of the server. */
  readonly onWatch: (uri: string) => void;
}

export interface PassedContent {
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
}

const GRACE_MS = 1_000;
const COMPLETION_TIMEOUT_MS = 10_000;

/** The prompts and resources of a server as those of this one. */
export function toContent(content: UpstreamContent, options: ToContentOptions): PassedContent {
  return {
    prompts: content.prompts.map((each) => toPrompt(each, options)),
    resources: content.resources.map((each) => toResource(textOf(each['uri']), each, options)),
    templates: content.templates.map((each) => toTemplate(each, options)),
  };
}

function toPrompt(definition: JsonObject, options: ToContentOptions): Prompt {
  const { upstream } = options;
  const own = textOf(definition['name']);
  const name = upstreamToolName(upstream.name, own);
  return {
    name,
    title: textOf(definition['title']) || own,
    description: textOf(definition['description']),
    foreign: foreignOf(own, { ...definition, name }, options),
    arguments: asList(definition['arguments']).flatMap((argument) => {
      const { name: argumentName, required }: { name?: unknown; required?: unknown } = isObject(
        argument,
      )
        ? argument
        : {};
      if (typeof argumentName !== 'string') return [];
      const complete = completer({ type: 'ref/prompt', name: own }, argumentName, options);
      return [{ name: argumentName, required: required === true, ...(complete && { complete }) }];
    }),
    async get(args, context) {
      const params = { name: own, arguments: args };
      const outcome = await requestUpstream(options, { method: 'prompts/get', params }, context);
      if (outcome.is === 'input') return outcome.required;
      const { description: about, messages } = outcome.result;
      if (Array.isArray(messages)) {
        const answer = { ...(about !== undefined && { description: about }), messages };
        return cleaned(answer as JsonObject, options) as unknown as PromptAnswer;
      }
      throw protocolError(upstream.name, 'answers prompts/get without messages');
    },
  };
}

/** A resource of a server, which may be listed or not. */
export function toResource(
  uri: string,
  definition: JsonObject,
  options: ToContentOptions,
): Resource {
  const own = textOf(definition['name']) || 'resource';
  const listedAs = serverUri(options.upstream.name, uri);
  return {
    uri: listedAs,
    name: upstreamToolName(options.upstream.name, own),
    title: textOf(definition['title']) || own,
    description: textOf(definition['description']),
    foreign: foreignOf(own, { ...definition, uri: listedAs }, options),
    ...(canSubscribe(options) && { subscribable: true, onWatch: () => options.onWatch(uri) }),
    read: (context) => read(uri, context, options),
  };
}

function toTemplate(definition: JsonObject, options: ToContentOptions): ResourceTemplate {
  const { name: server } = options.upstream;
  const own = textOf(definition['name']) || 'template';
  const uriTemplate = textOf(definition['uriTemplate']);
  const listedAs = serverUri(server, uriTemplate);
  const ref = { type: 'ref/resource', uri: uriTemplate };
  const complete = variablesOf(uriTemplate).flatMap((variable) => {
    const each = completer(ref, variable, options);
    return each ? [[variable, each] as const] : [];
  });
  return {
    uriTemplate: listedAs,
    name: upstreamToolName(server, own),
    title: textOf(definition['title']) || own,
    description: textOf(definition['description']),
    foreign: foreignOf(own, { ...definition, uriTemplate: listedAs }, options),
    complete: Object.fromEntries(complete),
    read: (_parts, uri, context) => read(uri.slice(serverUri(server, '').length), context, options),
  };
}

/** Only what a server has at every connection: other callers' connections are not listened to. */
function canSubscribe({ upstream, config }: ToContentOptions): boolean {
  const { era, capabilities } = upstream.info() ?? {};
  const resources = capabilities?.['resources'];
  return (
    config.shared && era === 'legacy' && isObject(resources) && resources['subscribe'] === true
  );
}

async function read(
  uri: string,
  context: ToolContext,
  options: ToContentOptions,
): Promise<readonly ResourceContents[] | InputRequired> {
  const request = { method: 'resources/read', params: { uri } };
  const outcome = await requestUpstream(options, request, context);
  if (outcome.is === 'input') return outcome.required;
  const { contents } = outcome.result;
  if (Array.isArray(contents) && contents.every(isObject)) {
    return cleaned(
      contents as readonly JsonObject[],
      options,
    ) as unknown as readonly ResourceContents[];
  }
  throw protocolError(options.upstream.name, 'answers resources/read without contents');
}

/** Without control characters, as results of tools are. */
function cleaned(value: Json, { config }: ToContentOptions): Json {
  return config.scan === 'off' ? value : sanitise(value);
}

function completer(
  ref: JsonObject,
  name: string,
  { upstream }: ToContentOptions,
): Complete | undefined {
  if (!isObject(upstream.info()?.capabilities['completions'])) return undefined;
  return async (value, args, caller) => {
    const params = {
      ref,
      argument: { name, value },
      ...(Object.keys(args).length > 0 && { context: { arguments: args } }),
    };
    const result = await upstream.request(
      { method: 'completion/complete', params },
      { caller, signal: new LightAbortController(), timeoutMs: COMPLETION_TIMEOUT_MS },
    );
    const { completion } = result;
    const values = isObject(completion) ? completion['values'] : undefined;
    return asList(values).filter((each) => typeof each === 'string');
  };
}

function foreignOf(
  own: string,
  listed: JsonObject,
  { upstream, config }: ToContentOptions,
): ForeignContent {
  const origin = { server: upstream.name, tool: own };
  return { origin, listed, timeoutMs: config.callTimeoutMs + GRACE_MS };
}

/** The variables of a URI template of any level of RFC 6570. */
function variablesOf(template: string): readonly string[] {
  return [...template.matchAll(/\{[+#./;?&]?([^{}]{1,500})\}/g)].flatMap(([, names = '']) =>
    names.split(',').map((name) => name.replace(/\*$|:\d{1,4}$/, '')),
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
