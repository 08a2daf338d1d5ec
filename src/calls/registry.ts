import type { Caller } from '#core/calls/call.ts';
import type { CallError } from '#core/errors/call-error.ts';
import { createTurnBudget } from '#core/turns.ts';
import { foldNames, nearestOf, type FoldedName } from '#core/text/text.ts';
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

/** A tool that is in no list, by its name. */
export type FindUnlisted = (name: string) => Tool | undefined;

/** Why there may be a tool of this name that is not known yet; undefined for other names. */
export type ExplainUnknown = (name: string, caller: Caller) => CallError | undefined;

/** Registry of all tools from all sources, by name. */
export interface Registry {
  /** Replaces the tools of a source. If two sources have the same name, the first wins. */
  put(source: string, tools: readonly Tool[]): void;
  /** Finds tools of a source that are in no list, by their names. */
  putUnlisted(source: string, find: FindUnlisted): void;
  /** Says for names that are not found why that is; the one that was set last is asked. */
  setExplanation(explain: ExplainUnknown): void;
  explainUnknown: ExplainUnknown;
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
  onChange(listener: (change: RegistryChange) => void): () => void;
}

/** What became callable, and what no longer is. A tool that was replaced is in both. */
export interface RegistryChange {
  /** Undefined: the options changed. */
  readonly source: string | undefined;
  readonly added: readonly Tool[];
  readonly removed: readonly Tool[];
}

const MAX_SUGGESTIONS = 3;
/** Names that are compared in one turn of the event loop: milliseconds for ten thousand. */
const COMPARED_PER_TURN = 10_000;

export function createRegistry(options: RegistryOptions): Registry {
  let explain: ExplainUnknown = () => undefined;
  const sources = new Map<string, readonly Tool[]>();
  const compared = createTurnBudget(COMPARED_PER_TURN);
  let folded: { tools: readonly Tool[]; names: readonly FoldedName<Tool>[] } | undefined;
  const listeners = new Set<(change: RegistryChange) => void>();
  /** For each name the tools of all sources that have it. */
  const named = new Map<string, Map<string, Tool>>();
  const byName = new Map<string, Tool>();
  let listed: readonly Tool[] = [];
  /** Sorted by name; the names in `changed` are not up to date. */
  let all: readonly Tool[] = [];
  const changed = new Set<string>();
  const unlisted = new Map<string, FindUnlisted>();

  const matchesAny = (name: string, patterns: readonly string[]) =>
    patterns.some((pattern) => matchesWildcard(name, pattern));
  const isListed = (tool: Tool) =>
    tool.quarantine === undefined &&
    (isInProfile(tool, options.profile) || matchesAny(tool.name, options.enabled));

  /** The tool that has this name now: that of the source that was there first. */
  function winnerOf(name: string): Tool | undefined {
    const tools = named.get(name);
    if (!tools || matchesAny(name, options.disabled)) return undefined;
    if (tools.size > 1) {
      for (const source of sources.keys()) {
        const tool = tools.get(source);
        if (tool) return tool;
      }
    }
    for (const tool of tools.values()) return tool;
    return undefined;
  }

  /** Decides again about these names alone. */
  function update(names: Iterable<string>): Pick<RegistryChange, 'added' | 'removed'> {
    const added: Tool[] = [];
    const removed: Tool[] = [];
    for (const name of names) {
      const before = byName.get(name);
      const now = winnerOf(name);
      if (before === now) continue;
      changed.add(name);
      if (before) removed.push(before);
      if (!now) byName.delete(name);
      else {
        byName.set(name, now);
        added.push(now);
      }
    }
    return { added, removed };
  }

  function findUnlisted(name: string): Tool | undefined {
    for (const find of unlisted.values()) {
      const tool = find(name);
      // A long name may be that of a listed tool.
      if (tool && !matchesAny(tool.name, options.disabled)) return byName.get(tool.name) ?? tool;
    }
    return undefined;
  }

  function upToDate(): readonly Tool[] {
    if (changed.size === 0) return all;
    const isKept = ({ name }: Tool) => !changed.has(name);
    const fresh = [...changed].flatMap((name) => byName.get(name) ?? []).sort(byNameOrder);
    all = merge(all.filter(isKept), fresh);
    changed.clear();
    return all;
  }

  /** Prepared once for each state of the list, as there may be ten thousand. */
  function foldedNames(): readonly FoldedName<Tool>[] {
    const tools = upToDate();
    if (folded?.tools !== tools) folded = { tools, names: foldNames(tools, ({ name }) => name) };
    return folded.names;
  }

  function notify(change: RegistryChange): void {
    if (change.added.some(isListed) || change.removed.some((tool) => listed.includes(tool))) {
      listed = upToDate().filter(isListed);
    }
    for (const listener of listeners) listener(change);
  }

  return {
    put(source, tools) {
      const names = new Set<string>();
      for (const { name } of sources.get(source) ?? []) {
        names.add(name);
        const tools = named.get(name);
        tools?.delete(source);
        if (tools?.size === 0) named.delete(name);
      }
      sources.set(source, tools);
      for (const tool of tools) {
        names.add(tool.name);
        const others = named.get(tool.name);
        if (!others) named.set(tool.name, new Map([[source, tool]]));
        else if (!others.has(source)) others.set(source, tool);
      }
      const change = update(names);
      notify({ source, ...change });
    },
    putUnlisted: (source, find) => void unlisted.set(source, find),
    setExplanation: (given) => void (explain = given),
    explainUnknown: (name, caller) => explain(normaliseToolName(name), caller),
    find(name) {
      const wanted = normaliseToolName(name);
      return byName.get(name) ?? byName.get(wanted) ?? findUnlisted(wanted);
    },
    suggest(name, mayTell = () => true) {
      const wanted = normaliseToolName(name);
      const [disabled] = named.get(wanted)?.values() ?? [];
      const isReading = disabled?.annotations.readOnlyHint ?? false;
      const mayName = (tool: Tool) =>
        mayTell(tool) && (!isReading || tool.annotations.readOnlyHint);
      const names = foldedNames();
      // Many wrong names at once: the first of them are enough.
      if (compared.spend(Math.min(names.length, COMPARED_PER_TURN))) return '';
      const near = nearestOf(wanted, names, MAX_SUGGESTIONS, mayName);
      const found = near.map((tool) => tool.name);
      if (found.length === 0) return '';
      const last = `"${found.at(-1)}"`;
      const others = found.slice(0, -1).map((each) => `"${each}"`);
      return `, did you mean ${others.length === 0 ? last : `${others.join(', ')} or ${last}`}?`;
    },
    listed: () => listed,
    all: upToDate,
    get profile() {
      return options.profile;
    },
    get outputSchemas() {
      return options.outputSchemas ?? false;
    },
    get size() {
      return byName.size;
    },
    refresh() {
      const change = update(named.keys());
      listed = upToDate().filter(isListed);
      notify({ source: undefined, ...change });
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function isInProfile({ profile }: Tool, listed: Profile): boolean {
  return profile !== 'hidden' && PROFILES.indexOf(profile) <= PROFILES.indexOf(listed);
}

/** Merges two lists that are sorted by name. */
function merge(one: readonly Tool[], other: readonly Tool[]): Tool[] {
  const merged: Tool[] = [];
  let at = 0;
  for (const tool of one) {
    for (let next = other[at]; next && byNameOrder(next, tool) < 0; next = other[++at]) {
      merged.push(next);
    }
    merged.push(tool);
  }
  return merged.concat(other.slice(at));
}

/** Compares code units, so that the order does not depend on the locale. */
function byNameOrder(a: Tool, b: Tool): number {
  return a.name < b.name ? -1 : 1;
}
