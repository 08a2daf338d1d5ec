import { matchesWildcard } from '#core/text/wildcard.ts';

/** Aliases for model names that the catalogue does not know. */
export interface ModelAliases {
  resolve(name: string, isKnown: (name: string) => boolean): string;
  /** Aliases without a wildcard, in the order of the settings. */
  readonly names: readonly string[];
}

interface Alias {
  readonly pattern: string;
  readonly model: string;
}

/**
 * Parses aliases such as `claude-*=auto`; the first match counts, ignoring case. A name mapped to
 * itself stays as it is.
 */
export function createModelAliases(entries: readonly string[]): ModelAliases {
  const written = entries.map(readEntry);
  const aliases = written.map(({ pattern, model }) => ({
    pattern: pattern.toLowerCase(),
    ...(model.toLowerCase() !== pattern.toLowerCase() && { model }),
  }));
  return {
    resolve(name, isKnown) {
      const wanted = name.trim().toLowerCase();
      if (wanted === '' || wanted === 'auto') return name;
      const found = aliases.find(({ pattern }) => matchesWildcard(wanted, pattern));
      return found?.model === undefined || isKnown(name) ? name : found.model;
    },
    names: written.flatMap(({ pattern }) => (pattern.includes('*') ? [] : [pattern])),
  };
}

function readEntry(text: string): Alias {
  const at = text.indexOf('=');
  return { pattern: text.slice(0, at), model: text.slice(at + 1) };
}

interface ResolvedName {
  readonly model: string;
  /** The name as the client wrote it, if it is an alias. */
  readonly namedAs?: string;
}

/** Resolves a model name through the aliases. */
export function resolveAlias(
  name: string,
  aliases: ModelAliases,
  isKnown: (name: string) => boolean,
): ResolvedName {
  const model = aliases.resolve(name, isKnown);
  return model === name ? { model } : { model, namedAs: name.trim() };
}
