import type { OpsLoad, ProbeFinding, ProviderFinding, StoreFinding } from '#core/ops.ts';

/** `Store: SQLite in /data, schema 1, works`; clients are not told where. */
export function storeWords(store: StoreFinding, viewer: 'owner' | 'client'): string {
  const which = viewer === 'owner' ? store.name : store.kind;
  const state = store.ok ? 'works' : `does not work: ${store.detail ?? 'it does not say why'}`;
  return `Store: ${which}, schema ${store.schemaVersion}, ${state}`;
}

export function loadWords(load: OpsLoad): string {
  const { running, waitingForProvider, waiting, capacity, connections, maxConnections } = load;
  return [
    `Calls: ${running} running`,
    `waiting for a provider: ${waitingForProvider} of ${capacity}, queued: ${waiting}`,
    `connections: ${connections} of ${maxConnections}`,
  ].join('; ');
}

export function providerWords(providers: readonly ProviderFinding[]): string {
  const names = (configured: boolean) =>
    providers.filter((each) => each.configured === configured).map(({ title }) => title);
  const [ready, missing] = [names(true).join(', '), names(false).join(', ')];
  if (ready === '') return `Providers: none has a key (${missing}); exai keys add <name>`;
  return `Providers: ${ready}${missing === '' ? '' : `; without a key: ${missing}`}`;
}

export function probeWords({ what, ok, elapsedMs, detail }: ProbeFinding): string {
  const outcome = ok ? `answered in ${elapsedMs} ms` : `failed: ${detail ?? 'no reason given'}`;
  return `Probe of ${what}: ${outcome}`;
}
