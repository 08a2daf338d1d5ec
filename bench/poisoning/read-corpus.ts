import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ScanFinding } from '#core/hub/finding.ts';
import type { JsonObject } from '#core/json/json.ts';
import { indexPeers } from '#hub/scan/peers.ts';
import { scanDefinition, type ScanResult } from '#hub/scan/scan-definition.ts';
import type { Sample } from '../../scripts/scanner/fit-weights.ts';

/** Labelled definitions, a file for each author; the scanner's weights are fitted to them. */
export const CORPUS = 'bench/poisoning/corpus';

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

/** The entries of all files of a folder: a line each, or a list in one object. */
export function readFolder(folder: string): readonly CorpusEntry[] {
  return readdirSync(folder)
    .filter((file) => /\.jsonl?$/.test(file))
    .toSorted()
    .flatMap((file) => readFile(join(folder, file)));
}

export function readFile(path: string): readonly CorpusEntry[] {
  const text = readFileSync(path, 'utf8');
  if (!path.endsWith('.jsonl')) return readCorpus(text);
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as CorpusEntry);
}

/** What an entry is judged by, and what it is. */
export function toSample(entry: CorpusEntry): Sample {
  return { features: scan(entry).features, isPoisoned: entry.label === 'malicious' };
}

export function scanEntry(entry: CorpusEntry): readonly ScanFinding[] {
  return scan(entry).findings;
}

/** Scans an entry beside the tools of its own server and of the others. */
function scan({ server, tool, peers = [] }: CorpusEntry): ScanResult {
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
  return scanDefinition({ kind: 'tool', name: tool.name, definition: tool }, index);
}
