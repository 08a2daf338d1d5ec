import { nearestNames } from '#core/text/text.ts';
import { normaliseToolName } from '#core/tools/tool-name.ts';
import { PROFILES, type Profile, type Tool } from '#core/tools/tool.ts';
import { matchesWildcard } from '#core/text/wildcard.ts';

/** Read whenever the registry is rebuilt, as settings may change them. */
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
  /**
   * `, did you mean "x" or "y"?` or an empty text; suggests only tools that the caller may see. For
   * a disabled tool that only reads, tools that change something are not suggested.
   */
  suggest(name: string, mayTell?: (tool: Tool) => boolean): string;
  /** Tools of the profile, sorted by name; the same array until something changes. */
  listed(): readonly Tool[];
  /** All tools, also those outside the profile. */
  all(): readonly Tool[];
  readonly profile: Profile;
  readonly outputSchemas: boolean;
  readonly size: number;
  /** Lists and finds tools by the options as they are now. */
  refresh(): void;
  onChange(listener: () => void): () => void;
}

const MAX_SUGGESTIONS = 3;

export function createRegistry(options: RegistryOptions): Registry {
  const sources = new Map<string, readonly Tool[]>();
  const listeners = new Set<() => void>();
  let byName = new Map<string, Tool>();
  let all: readonly Tool[] = [];
  let listed: readonly Tool[] = [];

  const matchesAny = (name: string, patterns: readonly string[]) =>
    patterns.some((pattern) => matchesWildcard(name, pattern));
  const isListed = (tool: Tool) =>
    isInProfile(tool, options.profile) || matchesAny(tool.name, options.enabled);

  function rebuild(): void {
    const { disabled } = options;
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
      const wanted = normaliseToolName(name);
      const disabled = [...sources.values()].flat().find((tool) => tool.name === wanted);
      const isReading = disabled?.annotations.readOnlyHint ?? false;
      const names = all
        .filter((tool) => mayTell(tool) && (!isReading || tool.annotations.readOnlyHint))
        .map((tool) => tool.name);
      const found = nearestNames(wanted, names, MAX_SUGGESTIONS);
      if (found.length === 0) return '';
      const last = `"${found.at(-1)}"`;
      const others = found.slice(0, -1).map((each) => `"${each}"`);
      return `, did you mean ${others.length === 0 ? last : `${others.join(', ')} or ${last}`}?`;
    },
    listed: () => listed,
    all: () => all,
    get profile() {
      return options.profile;
    },
    get outputSchemas() {
      return options.outputSchemas ?? false;
    },
    get size() {
      return byName.size;
    },
    refresh: rebuild,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function isInProfile({ profile }: Tool, listed: Profile): boolean {
  return profile !== 'hidden' && PROFILES.indexOf(profile) <= PROFILES.indexOf(listed);
}

/** Compares code units, so that the order does not depend on the locale. */
function byNameOrder(a: Tool, b: Tool): number {
  return a.name < b.name ? -1 : 1;
}
