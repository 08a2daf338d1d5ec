import type { LoadedConfig } from '#config/load/load.ts';
import { CONFIG_SCHEMA } from '#config/schema/settings.ts';

type Listener = (now: LoadedConfig, before: LoadedConfig) => void;

/**
 * The settings that the daemon runs with: one immutable value, which a reload replaces as a whole.
 */
export interface RunningSettings {
  current(): LoadedConfig;
  /**
   * A view of the current settings for parts that read a setting when they need it: each property
   * is looked up at the time of access. A part that copies values subscribes to changes instead.
   */
  readonly live: LoadedConfig;
  replace(next: LoadedConfig): void;
  /** Listeners are called in the order of subscription. */
  onChange(listener: Listener): () => void;
}

export type SubscribeToSettings = RunningSettings['onChange'];

export function createRunningSettings(initial: LoadedConfig): RunningSettings {
  let current = initial;
  const listeners = new Set<Listener>();
  return {
    current: () => current,
    live: {
      sources: initial.sources,
      home: initial.home,
      config: viewOf(initial.config, () => current.config),
      get origins() {
        return current.origins;
      },
      get missingVariables() {
        return current.missingVariables;
      },
      get notices() {
        return current.notices;
      },
    },
    replace(next) {
      const before = current;
      current = next;
      for (const listener of listeners) listener(next, before);
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

const RECORDS: ReadonlySet<string> = new Set(CONFIG_SCHEMA.records.map(({ path }) => path));

/**
 * An object of the same shape whose values are read from the current one. A record, whose entries
 * come and go, is a value.
 */
function viewOf<T extends object>(shape: T, current: () => T, path = ''): T {
  const properties = Object.entries(shape).map(([key, value]) => {
    const read = () => (current() as Record<string, unknown>)[key];
    const ownPath = path === '' ? key : `${path}.${key}`;
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    const section =
      isObject && !RECORDS.has(ownPath) && viewOf(value as object, read as () => object, ownPath);
    return [key, { enumerable: true, get: section ? () => section : read }] as const;
  });
  return Object.defineProperties({}, Object.fromEntries(properties)) as T;
}
