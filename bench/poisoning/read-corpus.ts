import type { ScanFinding } from '#core/hub/finding.ts';
import type { JsonObject } from '#core/json/json.ts';
import { indexPeers } from '#hub/scan/peers.ts';
import { scanDefinition } from '#hub/scan/scan-definition.ts';

type Definition = JsonObject & { readonly name: string };

/** A labelled definition, with tools of other servers beside it. */
export interface CorpusEntry {
  readonly id: string;
  readonly label: 'malicious' | 'benign';
  readonly category: string;
  readonly server: string;
  readonly tool: Definition;
  readonly peers?: readonly { readonly server: string; readonly tool: Definition }[];
}

export function readCorpus(json: string): readonly CorpusEntry[] {
  return (JSON.parse(json) as { readonly entries: readonly CorpusEntry[] }).entries;
}

/** Scans an entry beside the tools of its own server and of the others. */
export function scanEntry({ server, tool, peers = [] }: CorpusEntry): readonly ScanFinding[] {
  const toolsOf = (wanted: string) =>
    peers
      .filter((peer) => peer.server === wanted)
      .map((peer) => ({ name: peer.tool.name, definition: peer.tool }));
  const own = [{ name: tool.name, definition: tool }, ...toolsOf(server)];
  const others = [...new Set(peers.map((peer) => peer.server))].filter((name) => name !== server);
  const index = indexPeers(
    { server, tools: own },
    others.map((name) => ({ server: name, tools: toolsOf(name) })),
  );
  return scanDefinition({ kind: 'tool', name: tool.name, definition: tool }, index).findings;
}
