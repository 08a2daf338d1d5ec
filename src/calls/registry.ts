import { nearest } from '#core/text/text.ts';
import { normaliseToolName } from '#core/tools/tool-name.ts';
import { PROFILES, type Profile, type Tool } from '#core/tools/tool.ts';
import { matchesWildcard } from '#core/text/wildcard.ts';

export interface RegistryOptions {
  readonly profile: Profile;
  /** Name patterns of tools listed in addition to the profile. */
  readonly enabled: readonly string[];
  /** Name patterns of tools that are neither listed nor callable. */
  readonly disabled: readonly string[];
  /** Whether output schemas are listed; default: no. */
  readonly outputSchemas?: boolean;
}

/** Registry of all tools from all sources, by name. */
export interface Registry {
  /** Replaces the tools of a source. If two sources have the same name, the first wins. */
  put(source: string, tools: readonly Tool[]): void;
  find(name: string): Tool | undefined;
  /** `, did you mean "x"?` or an empty text; suggests only tools that the caller may see. */
  suggest(name: string, mayTell?: (tool: Tool) => boolean): string;
  /** Tools of the profile, sorted by name; the same array until something changes. */
  listed(): readonly Tool[];
  /** All tools, also those outside the profile. */
  all(): readonly Tool[];
  readonly profile: Profile;
  readonly outputSchemas: boolean;
  readonly size: number;
  onChange(listener: () => void): () => void;
}

export function createRegistry(options: RegistryOptions): Registry {
  const { profile, enabled, disabled, outputSchemas = false } = options;
  const sources = new Map<string, readonly Tool[]>();
  const listeners = new Set<() => void>();
  let byName = new Map<string, Tool>();
  let all: readonly Tool[] = [];
  let listed: readonly Tool[] = [];

  const matchesAny = (name: string, patterns: readonly string[]) =>
    patterns.some((pattern) => matchesWildcard(name, pattern));
  const isListed = (tool: Tool) =>
    PROFILES.indexOf(tool.profile) <= PROFILES.indexOf(profile) || matchesAny(tool.name, enabled);

  function rebuild(): void {
    byName = new Map();
    for (const tool of [...sources.values()].flat()) {
      if (!byName.has(tool.name) && !matchesAny(tool.name, disabled)) byName.set(tool.name, tool);
    }
    all = [...byName.values()].sort(byNameOrder);
    listed = all.filter(isListed);
    for (const listener of listeners) listener();
  }

  return {
    put(source, tools) {
      sources.set(source, tools);
      rebuild();
    },
    find: (name) => byName.get(name) ?? byName.get(normaliseToolName(name)),
    suggest(name, mayTell = () => true) {
      const found = nearest(normaliseToolName(name), byName.keys());
      const tool = found === undefined ? undefined : byName.get(found);
      return tool && mayTell(tool) ? `, did you mean "${tool.name}"?` : '';
    },
    listed: () => listed,
    all: () => all,
    profile,
    outputSchemas,
    get size() {
      return byName.size;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Compares code units, so that the order does not depend on the locale. */
function byNameOrder(a: Tool, b: Tool): number {
  return a.name < b.name ? -1 : 1;
}
