import type { SettingStore } from '#core/stores/settings.ts';

/** Slugs of tools that were called, so that each list has them, also after a restart. */
export interface UsedSlugs {
  /** The one that was added last is the last. */
  all(): Promise<readonly string[]>;
  add(slug: string): Promise<void>;
  remove(slug: string): Promise<void>;
}

/** All of them are fetched with each list. One that is left out is added again by its next call. */
export const MAX_USED = 200;

export function createUsedSlugs(
  settings: Pick<SettingStore, 'get' | 'set'>,
  server: string,
): UsedSlugs {
  const key = `hub.${server}.used`;
  let loading: Promise<Set<string>> | undefined;

  function load(): Promise<Set<string>> {
    loading ??= settings.get(key).then(
      (stored) =>
        new Set(
          (Array.isArray(stored) ? stored : [])
            .filter((slug) => typeof slug === 'string')
            .slice(-MAX_USED),
        ),
      (thrown: unknown) => {
        loading = undefined;
        throw thrown;
      },
    );
    return loading;
  }

  return {
    all: async () => [...(await load())],
    async add(slug) {
      const slugs = await load();
      if (slugs.has(slug)) return;
      slugs.add(slug);
      const [oldest] = slugs;
      if (slugs.size > MAX_USED && oldest !== undefined) slugs.delete(oldest);
      await settings.set(key, [...slugs]);
    },
    async remove(slug) {
      const slugs = await load();
      if (slugs.delete(slug)) await settings.set(key, [...slugs]);
    },
  };
}
