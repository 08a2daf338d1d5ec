import { wildcardMatcher } from '#core/text/wildcard.ts';
import type { ModelDirectory } from '#models/model-directory.ts';

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
    matches: wildcardMatcher(pattern.toLowerCase()),
    ...(model.toLowerCase() !== pattern.toLowerCase() && { model }),
  }));
  return {
    resolve(name, isKnown) {
      const wanted = name.trim().toLowerCase();
      if (wanted === '' || wanted === 'auto') return name;
      const found = aliases.find(({ matches }) => matches(wanted));
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

/** Resolves a model name through the aliases and the names of roles. */
export function resolveModelName(
  name: string,
  aliases: ModelAliases,
  directory: Directory,
): ResolvedName {
  const isKnown = (each: string) => directory.resolve(each).is === 'found';
  const { model: meant, namedAs } = resolveAlias(name, aliases, isKnown);
  const model = resolveRoleName(meant.trim().toLowerCase(), directory);
  if (model === undefined) return { model: meant, ...(namedAs !== undefined && { namedAs }) };
  return { model, namedAs: namedAs ?? name.trim() };
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

type Directory = Pick<ModelDirectory, 'models' | 'resolve'>;

/** Names of roles, with the settings of their models in the order in which they are tried. */
const ROLES: Readonly<Record<string, readonly string[]>> = {
  speed: ['glmSpeed', 'kimiSpeed'],
  quality: ['glmQuality', 'kimiQuality'],
};

/** The model of a role that can be asked now; `auto` if there is none, undefined if it is not a role. */
export function resolveRoleName(name: string, directory: Directory): string | undefined {
  const settings = Object.hasOwn(ROLES, name) ? ROLES[name] : undefined;
  if (!settings || directory.resolve(name).is === 'found') return undefined;
  const usable = directory.models().filter(({ isUsable }) => isUsable);
  for (const setting of settings) {
    const found = usable.find(({ roles }) => roles.includes(setting));
    if (found) return found.model.id;
  }
  return 'auto';
}
