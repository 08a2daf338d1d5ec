import { nearest } from '#core/nearest.ts';
import { normaliseToolName } from '#core/tool-name.ts';
import { PROFILES, type Profile, type Tool } from '#core/tool.ts';
import { matchesWildcard } from '#core/wildcard.ts';

export interface RegistryOptions {
  readonly profile: Profile;
  /** Listed beyond the profile. */
  readonly enabled: readonly string[];
  /** Neither listed nor callable. */
  readonly disabled: readonly string[];
}

/** Every tool there is, from every source, by name. */
export interface Registry {
  /** Puts the tools of a source in place of those it had; the first source to bring a name keeps it. */
  put(source: string, tools: readonly Tool[]): void;
  find(name: string): Tool | undefined;
  /** `, did you mean "x"?` or nothing; only of those that may be told. */
  suggest(name: string, mayTell?: (tool: Tool) => boolean): string;
  /** Of the profile, sorted by name; the same array until something changes. */
  listed(): readonly Tool[];
  /** Also those that the profile leaves out. */
  all(): readonly Tool[];
  readonly profile: Profile;
  readonly size: number;
  onChange(listener: () => void): () => void;
}

export function createRegistry({ profile, enabled, disabled }: RegistryOptions): Registry {
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
    get size() {
      return byName.size;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** By code units, so that the order is the same on every machine, whatever its language. */
function byNameOrder(a: Tool, b: Tool): number {
  return a.name < b.name ? -1 : 1;
}
