import { LOCAL } from '#calls/doorman.ts';
import type { ProviderStanding } from '#models/desk.ts';

/** Where providers are is the owner's to know: others read their names in its place. */
export function createConcealing(
  providers: readonly Pick<ProviderStanding, 'host' | 'title'>[],
): (principal: string) => (text: string) => string {
  const titles = new Map<string, string>(
    providers.flatMap(({ host, title }) =>
      host === undefined ? [] : [[host.toLowerCase(), title] as const],
    ),
  );
  // Long ones first: the name of one host may begin with that of another.
  const hosts = [...titles.keys()].toSorted((a, b) => b.length - a.length);
  const pattern = hosts.map((host) => host.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  const found = new RegExp(`(?<![\\w.-])(?:${pattern})(?![\\w-])`, 'gi');
  const conceal = (text: string) =>
    hosts.length === 0
      ? text
      : text.replaceAll(found, (host) => titles.get(host.toLowerCase()) ?? 'the provider');
  return (principal) => (principal === LOCAL.principal ? (text) => text : conceal);
}
