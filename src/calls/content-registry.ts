import type { Caller } from '#core/calls/call.ts';
import type { Change, CompletionRequest } from '#core/calls/calls.ts';
import { CallError } from '#core/errors/call-error.ts';
import { oneLine } from '#core/text/text.ts';
import { matchesWildcard } from '#core/text/wildcard.ts';
import type { Prompt } from '#core/tools/prompt.ts';
import type { Resource, ResourceTemplate } from '#core/tools/resource.ts';
import type { Tool } from '#core/tools/tool.ts';
import type { Access } from './access.ts';
import {
  operationCallable,
  promptCallable,
  resourceCallable,
  templateCallable,
  type Callable,
} from './content-callables.ts';

interface ContentRegistryOptions {
  /** Name patterns of disabled operations, read at each use; default: none. */
  readonly disabled?: readonly string[];
}

/** The prompts, resources and operations of one source. */
export interface SourceContent {
  readonly prompts?: readonly Prompt[];
  readonly resources?: readonly Resource[];
  readonly templates?: readonly ResourceTemplate[];
  /** Run by endpoints, never listed, with access checked by their own names. */
  readonly operations?: readonly Tool[];
  /** Finds resources that are not listed; asked after all that are. */
  readonly resolve?: (uri: string, caller: Caller) => Resource | undefined;
}

/** Registry of all prompts, resources and operations. */
export interface ContentRegistry {
  /** Replaces the content of a source. */
  put(source: string, materials: SourceContent): void;
  /** Notifies subscribers that a resource was updated, for all principals or for one. */
  notifyUpdated(uri: string, principal?: string): void;
  prompt(name: string): Callable | undefined;
  template(uriTemplate: string): Callable | undefined;
  operation(name: string): Callable | undefined;
  /** All operations, in order of registration. */
  operations(): readonly Tool[];
  /** The resource or resource template that matches a URI. */
  at(uri: string, caller: Caller): Callable | undefined;
  all(kind: 'prompts' | 'resources' | 'templates'): readonly Callable[];
  onChange(listener: (change: Change) => void): () => void;
}

export function createContentRegistry(options: ContentRegistryOptions = {}): ContentRegistry {
  const listeners = new Set<(change: Change) => void>();
  const tell = (change: Change) => {
    for (const listener of listeners) listener(change);
  };
  const resolvers = new Map<string, NonNullable<SourceContent['resolve']>>();
  const keyOf = ({ key }: Callable) => key;
  const changed = { prompts: { list: 'prompts' }, resources: { list: 'resources' } } as const;
  const collections = {
    prompts: createMultiSourceMap(keyOf, () => tell(changed.prompts)),
    resources: createMultiSourceMap(keyOf, () => tell(changed.resources)),
    templates: createMultiSourceMap(keyOf, () => tell(changed.resources)),
    operations: createMultiSourceMap(keyOf, () => {}),
  };
  const isEnabled = ({ tool }: Callable) =>
    !(options.disabled ?? []).some((pattern) => matchesWildcard(tool.name, pattern));
  return {
    put(source, { prompts, resources, templates, operations, resolve }) {
      if (resolve) resolvers.set(source, resolve);
      if (prompts) collections.prompts.put(source, prompts.map(promptCallable));
      if (resources) collections.resources.put(source, resources.map(resourceCallable));
      if (templates) collections.templates.put(source, templates.map(templateCallable));
      if (operations) {
        collections.operations.put(source, operations.map(operationCallable));
      }
    },
    notifyUpdated: (uri, principal) => tell({ uri, ...(principal !== undefined && { principal }) }),
    prompt: (name) => collections.prompts.find(name),
    template: (uriTemplate) => collections.templates.find(uriTemplate),
    operation(name) {
      const found = collections.operations.find(name);
      return found && isEnabled(found) ? found : undefined;
    },
    operations: () =>
      collections.operations
        .inOrder()
        .filter(isEnabled)
        .map(({ tool }) => tool),
    at(uri, caller) {
      const listed =
        collections.resources.find(uri) ??
        collections.templates.all().find((callable) => callable.matches(uri));
      if (listed) return listed;
      for (const resolve of resolvers.values()) {
        const resource = resolve(uri, caller);
        if (resource) return resourceCallable(resource);
      }
      return undefined;
    },
    all: (kind) => collections[kind].all(),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** A keyed collection from several sources. If two sources have the same key, the first wins. */
interface MultiSourceMap<T> {
  /** Replaces the entries of a source. */
  put(source: string, things: readonly T[]): void;
  find(key: string): T | undefined;
  /** Sorted by key; the same array until something changes. */
  all(): readonly T[];
  /** In order of registration. */
  inOrder(): readonly T[];
}

function createMultiSourceMap<T>(
  keyOf: (thing: T) => string,
  onChange: () => void,
): MultiSourceMap<T> {
  const sources = new Map<string, readonly T[]>();
  /** Built when it is needed, as hundreds of sources may change one after the other. */
  let built: { readonly byKey: ReadonlyMap<string, T>; sorted?: readonly T[] } | undefined;

  function build() {
    if (built) return built;
    const byKey = new Map<string, T>();
    for (const things of sources.values()) {
      for (const thing of things) if (!byKey.has(keyOf(thing))) byKey.set(keyOf(thing), thing);
    }
    built = { byKey };
    return built;
  }

  return {
    put(source, things) {
      sources.set(source, things);
      built = undefined;
      onChange();
    },
    find: (key) => build().byKey.get(key),
    all() {
      const now = build();
      now.sorted ??= [...now.byKey.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
      return now.sorted;
    },
    inOrder: () => [...build().byKey.values()],
  };
}

const MAX_NAME_CHARS = 128;

/** Completes an argument of a prompt or a variable of a resource template. */
export async function complete(
  caller: Caller,
  { of, argument, value, args }: CompletionRequest,
  { content, access }: { readonly content: ContentRegistry; readonly access: Access },
): Promise<readonly string[]> {
  const callable = 'prompt' in of ? content.prompt(of.prompt) : content.template(of.template);
  if (!callable || access.decideCallable(caller, callable).verdict === 'deny') {
    const [kind, name] =
      'prompt' in of ? ['prompt', of.prompt] : ['resource template', of.template];
    throw new CallError('not_found', `There is no ${kind} "${oneLine(name, MAX_NAME_CHARS)}".`, {
      field: 'ref',
    });
  }
  if (!Object.hasOwn(callable.complete, argument)) return [];
  return (await callable.complete[argument]?.(value, args, caller)) ?? [];
}
