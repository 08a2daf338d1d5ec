import { CallError } from '#core/call-error.ts';
import { nearest } from '#core/nearest.ts';
import { oneLine } from '#core/one-line.ts';
import type { Complete, Prompt } from '#core/prompt.ts';
import type { Resource, ResourceTemplate } from '#core/resource.ts';
import type { Tool, ToolAnnotations, ToolAnswer } from '#core/tool.ts';
import type { Asking } from '#core/question.ts';
import { parseUriTemplate } from '#core/uri-template.ts';

/** A prompt, a resource or many of them, or an operation, as something to run like a tool. */
export interface Offer {
  /** By which it is found and sorted. */
  readonly key: string;
  /** As clients see it. */
  readonly listed: object;
  readonly tool: Tool;
  /** The tool whose rights decide, where it is not its own name. */
  readonly uses: string | undefined;
  readonly complete: Readonly<Record<string, Complete | undefined>>;
  readonly tellsChanges: boolean;
  /** Whether it stands at this address. */
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

export function offerPrompt(prompt: Prompt): Offer {
  const { name, title, description, icons, arguments: args } = prompt;
  const listedArgs = args.map((arg) => ({ ...arg, complete: undefined }));
  return {
    key: name,
    listed: { name, title, description, arguments: listedArgs, ...(icons && { icons }) },
    uses: prompt.uses,
    complete: Object.fromEntries(args.map((arg) => [arg.name, arg.complete])),
    tellsChanges: false,
    matches: () => false,
    tool: runnable(`prompt:${name}`, {
      title,
      description,
      parse: (given) => promptArgs(prompt, given),
      async run(given, context) {
        const answer = await prompt.get(given as Record<string, string>, context);
        return 'asks' in answer ? answer : { text: '', content: answer };
      },
    }),
  };
}

export function offerResource(resource: Resource): Offer {
  const { uri, name, title, description } = resource;
  return {
    key: uri,
    listed: { uri, ...listedFacts(resource) },
    uses: resource.uses,
    complete: {},
    tellsChanges: resource.tellsChanges ?? false,
    matches: (given) => given === uri,
    tool: runnable(`resource:${name}`, {
      title,
      description,
      parse: (given) => given,
      run: async (_args, context) => toAnswer(await resource.read(context)),
    }),
  };
}

export function offerTemplate(template: ResourceTemplate): Offer {
  const { uriTemplate, name, title, description } = template;
  const parsed = parseUriTemplate(uriTemplate);
  return {
    key: uriTemplate,
    listed: { uriTemplate, ...listedFacts(template) },
    uses: template.uses,
    complete: template.complete ?? {},
    tellsChanges: template.tellsChanges ?? false,
    matches: (uri) => parsed.match(uri) !== undefined,
    tool: runnable(`resource:${name}`, {
      title,
      description,
      parse: (given) => given,
      async run(args, context) {
        const uri = String(args['uri']);
        return toAnswer(await template.read(parsed.match(uri) ?? {}, uri, context));
      },
    }),
  };
}

export function offerOperation(tool: Tool): Offer {
  return {
    key: tool.name,
    listed: {},
    uses: undefined,
    complete: {},
    tellsChanges: false,
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

function toAnswer(contents: Awaited<ReturnType<Resource['read']>>): ToolAnswer | Asking {
  return 'asks' in contents ? contents : { text: '', content: { contents } };
}

function runnable(name: string, part: Pick<Tool, 'title' | 'description' | 'parse' | 'run'>): Tool {
  return {
    ...part,
    name,
    inputSchema: { type: 'object' },
    annotations: READING,
    tier: 'user',
    category: 'fast_response',
    profile: 'full',
    coalesce: true,
    timeoutMs: TIMEOUT_MS,
    handOff: 'never',
    resumable: false,
  };
}

/** Texts, each of a name that is known, and all that are required. */
function promptArgs(
  prompt: Prompt,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const names = prompt.arguments.map(({ name }) => name);
  for (const [key, value] of Object.entries(given)) {
    const name = oneLine(key, MAX_NAME_CHARS);
    const field = `arguments.${name}`;
    if (!names.includes(key)) {
      const meant = nearest(name, names);
      const hint = meant === undefined ? '.' : `; did you mean "${meant}"?`;
      const message = `${prompt.name} has no argument "${name}"${hint}`;
      throw new CallError('validation', message, { field });
    }
    if (typeof value !== 'string') {
      throw new CallError('validation', `The argument "${name}" must be a text.`, { field });
    }
  }
  const missing = prompt.arguments.find(
    ({ name, required }) => required && !Object.hasOwn(given, name),
  );
  if (missing) {
    throw new CallError('validation', `${prompt.name} needs the argument "${missing.name}".`, {
      field: `arguments.${missing.name}`,
    });
  }
  return { ...given };
}
