import { CallError } from '#core/errors/call-error.ts';
import { nearest, oneLine } from '#core/text/text.ts';
import type { ForeignContent } from '#core/tools/foreign-content.ts';
import type { InputRequired } from '#core/tools/input-request.ts';
import type { Complete, Prompt } from '#core/tools/prompt.ts';
import type { Resource, ResourceTemplate } from '#core/tools/resource.ts';
import type { Tool, ToolAnnotations, ToolResult } from '#core/tools/tool.ts';

/** A prompt, resource, resource template or operation, wrapped so that it runs like a tool. */
export interface Callable {
  readonly kind: 'prompt' | 'resource' | 'operation';
  /** Lookup and sort key. */
  readonly key: string;
  /** The entry listed to clients. */
  readonly listed: object;
  readonly tool: Tool;
  /** The tool whose access decides; undefined: its own name. */
  readonly uses: string | undefined;
  readonly complete: Readonly<Record<string, Complete | undefined>>;
  readonly subscribable: boolean;
  readonly onWatch?: () => void;
  /** Whether it has this URI. */
  matches(uri: string): boolean;
}

const READING: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
const TIMEOUT_MS = 30_000;
const MAX_NAME_CHARS = 128;

export function promptCallable(prompt: Prompt): Callable {
  const { name, title, description, icons, foreign, arguments: args } = prompt;
  const listedArgs = args.map((arg) => ({ ...arg, complete: undefined }));
  return {
    kind: 'prompt',
    key: name,
    listed: foreign?.listed ?? {
      name,
      title,
      description,
      arguments: listedArgs,
      ...(icons && { icons }),
    },
    uses: prompt.uses,
    complete: Object.fromEntries(args.map((arg) => [arg.name, arg.complete])),
    subscribable: false,
    matches: () => false,
    tool: runnable('prompt', {
      ...prompt,
      parse: (args) => promptArgs(prompt, args),
      async run(args, context) {
        const answer = await prompt.get(args as Record<string, string>, context);
        return 'inputRequests' in answer ? answer : { text: '', content: answer };
      },
    }),
  };
}

export function resourceCallable(resource: Resource): Callable {
  const { uri } = resource;
  return {
    kind: 'resource',
    key: uri,
    listed: resource.foreign?.listed ?? { uri, ...listedFacts(resource) },
    uses: resource.uses,
    complete: {},
    subscribable: resource.subscribable ?? false,
    ...(resource.onWatch && { onWatch: resource.onWatch }),
    matches: (other) => other === uri,
    tool: runnable('resource', {
      ...resource,
      parse: (args) => args,
      run: async (_args, context) => toAnswer(await resource.read(context)),
    }),
  };
}

export function templateCallable(template: ResourceTemplate): Callable {
  const { uriTemplate } = template;
  const parsed = parseUriTemplate(uriTemplate);
  return {
    kind: 'resource',
    key: uriTemplate,
    listed: template.foreign?.listed ?? { uriTemplate, ...listedFacts(template) },
    uses: template.uses,
    complete: template.complete ?? {},
    subscribable: template.subscribable ?? false,
    matches: (uri) => parsed.match(uri) !== undefined,
    tool: runnable('resource', {
      ...template,
      parse: (args) => args,
      async run(args, context) {
        const uri = String(args['uri']);
        return toAnswer(await template.read(parsed.match(uri) ?? {}, uri, context));
      },
    }),
  };
}

export function operationCallable(tool: Tool): Callable {
  return {
    kind: 'operation',
    key: tool.name,
    listed: {},
    uses: undefined,
    complete: {},
    subscribable: false,
    matches: () => false,
    tool,
  };
}

function listedFacts({
  name,
  title,
  description,
  mimeType,
  icons,
}: Omit<Resource, 'uri' | 'read'>) {
  return {
    name,
    title,
    description,
    ...(mimeType !== undefined && { mimeType }),
    ...(icons && { icons }),
  };
}

function toAnswer(contents: Awaited<ReturnType<Resource['read']>>): ToolResult | InputRequired {
  return 'inputRequests' in contents ? contents : { text: '', content: { contents } };
}

interface Runnable extends Pick<Tool, 'name' | 'title' | 'description' | 'parse' | 'run'> {
  readonly foreign?: ForeignContent;
}

function runnable(
  kind: 'prompt' | 'resource',
  { name, title, description, foreign, parse, run }: Runnable,
): Tool {
  return {
    title,
    description,
    parse,
    run,
    name: `${kind}:${name}`,
    ...(foreign && { origin: foreign.origin }),
    inputSchema: { type: 'object' },
    annotations: READING,
    tier: 'user',
    category: 'fast_response',
    profile: 'full',
    coalesce: true,
    timeoutMs: foreign?.timeoutMs ?? TIMEOUT_MS,
    background: 'never',
    resumable: false,
  };
}

/** Validates prompt arguments: strings with known names, all required ones present. */
function promptArgs(
  prompt: Prompt,
  args: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const names = prompt.arguments.map(({ name }) => name);
  for (const [key, value] of Object.entries(args)) {
    const name = oneLine(key, MAX_NAME_CHARS);
    const field = `arguments.${name}`;
    if (!names.includes(key)) {
      const suggestion = nearest(name, names);
      const hint = suggestion === undefined ? '.' : `; did you mean "${suggestion}"?`;
      const message = `${prompt.name} has no argument "${name}"${hint}`;
      throw new CallError('validation', message, { field });
    }
    if (typeof value !== 'string') {
      throw new CallError('validation', `The argument "${name}" must be a text.`, { field });
    }
  }
  const missing = prompt.arguments.find(
    ({ name, required }) => required && !Object.hasOwn(args, name),
  );
  if (missing) {
    throw new CallError('validation', `${prompt.name} needs the argument "${missing.name}".`, {
      field: `arguments.${missing.name}`,
    });
  }
  return { ...args };
}

/**
 * A URI template with variables `{name}` that match anything except a slash (RFC 6570, level 1).
 */
interface UriTemplate {
  readonly names: readonly string[];
  /** The decoded variables of a matching URI. */
  match(uri: string): Readonly<Record<string, string>> | undefined;
}

const PART = /\{([A-Za-z_][A-Za-z0-9_]*)\}/g;
// Bounds the cost of matching untrusted URIs.
const MAX_URI_CHARS = 4096;

export function parseUriTemplate(template: string): UriTemplate {
  const names: string[] = [];
  let source = '';
  let end = 0;
  for (const part of template.matchAll(PART)) {
    source += `${escaped(template.slice(end, part.index))}([^/]+)`;
    names.push(part[1] ?? '');
    end = part.index + part[0].length;
  }
  const shape = new RegExp(`^${source}${escaped(template.slice(end))}$`, 'u');
  return {
    names,
    match(uri) {
      const found = uri.length > MAX_URI_CHARS ? null : shape.exec(uri);
      if (!found) return undefined;
      try {
        return Object.fromEntries(
          names.map((name, i) => [name, decodeURIComponent(found[i + 1] ?? '')]),
        );
      } catch {
        // Invalid percent encoding.
        return undefined;
      }
    },
  };
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
