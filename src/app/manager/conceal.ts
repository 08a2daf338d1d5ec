import { LOCAL } from '#calls/doorman.ts';
import type { ProviderStanding } from '#models/desk.ts';

/** Where providers are is the owner's to know: others read their names in its place. */
export function createConcealing(
  providers: readonly Pick<ProviderStanding, 'host' | 'title'>[],
): (principal: string) => (text: string) => string {
  const hosts = providers.flatMap(({ host, title }) =>
    host === undefined ? [] : [{ host, title }],
  );
  // Long ones first: the name of one host may begin with that of another.
  const inOrder = hosts.toSorted((a, b) => b.host.length - a.host.length);
  const conceal = (text: string) =>
    inOrder.reduce((words, { host, title }) => words.replaceAll(host, title), text);
  return (principal) => (principal === LOCAL.principal ? (text) => text : conceal);
}
